/* Three readers and two writers: step for step as in readers-writers.weave.
   What is set to false is of no use any more; Selvedge forgets it by itself.
   Without any reduction both have 924 states. */
#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

#define acquire(s) atomic { s > 0 -> s = s - 1 }
#define release(s) s = s + 1

byte guard = 1;     /* for `readers` */
byte room = 1;      /* free, or taken by one writer or by the readers */
byte readers;
bool a, b;          /* the data: equal unless somebody is writing */

active [READERS] proctype reader() {
  bool seen;
start:
  acquire(guard);
  readers = readers + 1;
  if
  :: readers == 1 -> acquire(room)
  :: else
  fi;
  release(guard);
  seen = a;
  d_step { assert(seen == b); seen = false };
  acquire(guard);
  readers = readers - 1;
  if
  :: readers == 0 -> release(room)
  :: else
  fi;
  release(guard);
  goto start
}

active [WRITERS] proctype writer() {
start:
  acquire(room);
  a = !a;
  b = !b;
  assert(a == b);
  release(room);
  goto start
}
