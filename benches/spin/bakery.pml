/* Lamport's bakery with three processes and a bound on the tickets: step for step as in bakery.weave.
   A process that does not need `other` has N there, and 0 in `highest`; Selvedge forgets them by itself.
   Without any reduction both have 442935 states (SPIN with -o3: else it makes one
   step of two local assignments in a row, and has 418183). */
#ifndef N
#define N 3
#endif
#define LIMIT 4

bool choosing[N];
byte ticket[N];     /* 0: none */
byte inside;        /* how many are in the critical section */

active [N] proctype process() {
  byte other = N;
  byte highest;
start:
  choosing[_pid] = true;
  highest = 0;
  other = 0;
  do
  :: other < N ->
     if
     :: ticket[other] > highest -> highest = ticket[other]
     :: else
     fi;
     other = other + 1
  :: else -> break
  od;
  if
  :: highest == LIMIT ->
     d_step { choosing[_pid] = false; highest = 0 };
     goto start
  :: else
  fi;
  d_step { ticket[_pid] = highest + 1; highest = 0 };
  choosing[_pid] = false;
  other = 0;
  do
  :: other < N ->
     (!choosing[other]);
     (ticket[other] == 0 || ticket[other] > ticket[_pid] || ticket[other] == ticket[_pid] && other >= _pid);
     other = other + 1
  :: else -> break
  od;
  inside = inside + 1;
  assert(inside == 1);
  inside = inside - 1;
  ticket[_pid] = 0;
  goto start
}
