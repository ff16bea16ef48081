/* A bounded buffer with condition variables, two producers and two consumers: step for step as in
   buffer.weave. To sleep at a condition, to be woken and to take the lock again are three steps, as
   they are there; who is woken slept when it was notified.
   Without any reduction both have 7360 states. */
#define SIZE 2
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif

typedef condition {
  byte sleeping;    /* how many sleep */
  byte called       /* how many were woken and did not go on yet */
};

bool held;          /* the lock */
condition has_room, has_items;
byte count;
byte first;         /* where the oldest item is */
byte slot[SIZE];    /* 0: empty */

inline acquire() {
  atomic { !held -> held = true }
}

inline release() {
  held = false
}

inline notify(c) {
  d_step {
    if
    :: c.sleeping > 0 -> c.sleeping = c.sleeping - 1; c.called = c.called + 1
    :: else
    fi
  }
}

inline wait(c) {
  d_step { c.called == 0 -> held = false; c.sleeping = c.sleeping + 1 };
  d_step { c.called > 0 -> c.called = c.called - 1 };
  acquire()
}

active [PRODUCERS] proctype producer() {
start:
  acquire();
  do
  :: count == SIZE -> wait(has_room)
  :: else -> break
  od;
  assert(slot[(first + count) % SIZE] == 0);
  slot[(first + count) % SIZE] = _pid + 1;
  count = count + 1;
  notify(has_items);
  release();
  goto start
}

active [CONSUMERS] proctype consumer() {
start:
  acquire();
  do
  :: count == 0 -> wait(has_items)
  :: else -> break
  od;
  assert(slot[first] != 0);
  slot[first] = 0;
  first = (first + 1) % SIZE;
  count = count - 1;
  notify(has_room);
  release();
  goto start
}
