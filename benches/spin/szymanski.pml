/* Szymanski's lock with three processes: step for step as in szymanski.weave.
   A process that does not need `other` has N there; Selvedge forgets it by itself.
   Without any reduction both have 45724 states. */
#ifndef N
#define N 3
#endif

byte flag[N];   /* 0: outside, 1: wants to come in, 2: waits for others to come in,
                   3: stands in the door, 4: the first door is shut */
byte inside;    /* how many are in the critical section */

active [N] proctype process() {
  byte other = N;
start:
  flag[_pid] = 1;
  other = 0;
  do
  :: other < N ->
     (flag[other] < 3);
     other = other + 1
  :: else -> break
  od;
  flag[_pid] = 3;
  other = 0;
  do
  :: other < N ->
     if
     :: flag[other] == 1 ->
        flag[_pid] = 2;
        other = 0;
        do
        :: flag[other] != 4 -> other = (other + 1) % N
        :: d_step { flag[other] == 4 -> other = N } -> break
        od;
        break
     :: else
     fi;
     other = other + 1
  :: else -> break
  od;
  flag[_pid] = 4;
  other = 0;
  do
  :: other < _pid ->
     (flag[other] < 2);
     other = other + 1
  :: else -> break
  od;
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
  other = _pid + 1;
  do
  :: other < N ->
     (flag[other] < 2 || flag[other] == 4);
     other = other + 1
  :: else -> break
  od;
  flag[_pid] = 0;
  goto start
}
