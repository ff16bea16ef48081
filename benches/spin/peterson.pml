/* A tournament of Peterson's locks, three processes: step for step as in peterson.weave.
   What is set to 0 is of no use any more; Selvedge forgets it by itself.
   Without any reduction both have 3324 states. */
#ifndef N
#define N 3
#endif

bool wants[8];        /* for each node but the root: somebody wants to go up from there */
bool right_waits[4];  /* for each inner node: the one from the right came last */
byte inside;          /* how many are in the critical section */

active [N] proctype process() {
  byte node;
start:
  node = 4 + _pid;
next_node:
  if
  :: node > 1 ->
     wants[node] = true;
     right_waits[node / 2] = (node % 2 == 1);
     (!wants[node + 1 - 2 * (node % 2)] || right_waits[node / 2] != (node % 2 == 1));
     node = node / 2;
     goto next_node
  :: else
  fi;
  d_step { node = 0; inside = inside + 1 };
  assert(inside == 1);
  inside = inside - 1;
  wants[(4 + _pid) / 2] = false;
  wants[4 + _pid] = false;
  goto start
}
