/* Dining philosophers, everybody with the left fork first: step for step as in
   examples/locks/philosophers.weave. `true` is the test of `while (true)` there.
   Without any reduction both have 295423 states (when SPIN goes on after the deadlock: -c0). */
#ifndef N
#define N 8
#endif

bool fork[N];       /* whether somebody holds it */

active [N] proctype philosopher() {
  do
  :: true ->
     d_step { !fork[_pid] -> fork[_pid] = true };
     d_step { !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = true };
     skip;          /* eats */
     fork[(_pid + 1) % N] = false;
     fork[_pid] = false
  od
}
