/* The filter lock with four processes: step for step as in filter.weave, and as in
   examples/locks/filter.weave, but for `while (true)`, which is no step here. What is set to 0 is of
   no use any more; Selvedge forgets it by itself. For comparing speed and memory: see
   docs/performance.md and docs/compare.md.
   Without any reduction both have 5175708 states. */
#ifndef N
#define N 4
#endif

byte level[N];      /* the room that each process is in; 0: none */
byte victim[N];     /* for each room: who came last */
byte inside;        /* how many are in the critical section */

active [N] proctype process() {
  byte room;
  byte other;
start:
  room = 1;
next_room:
  if
  :: room < N ->
     level[_pid] = room;
     victim[room] = _pid;
     other = 0;
look:
     if
     :: other < N ->
        if
        :: other == _pid || level[other] < room || victim[room] != _pid -> other = other + 1
        :: else
        fi;
        goto look
     :: else -> d_step { other = 0; room = room + 1 }; goto next_room
     fi
  :: else
  fi;
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
  d_step { room = 0; level[_pid] = 0 };
  goto start
}
