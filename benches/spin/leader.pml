/* Electing a leader on a ring of five, without channels: step for step as in leader.weave.
   `skip` is the return; who has returned waits for ever, since SPIN ends processes only in the
   opposite order of their starts.
   Without any reduction both have 31633 states. */
#ifndef N
#define N 5
#endif
#define RIGHT ((_pid + 1) % N)

byte cell[N];       /* what comes to each node; 0: empty, N + 1: stop */
byte leaders;

active [N] proctype node() {
  byte mine;
  byte near;        /* from the left */
  byte far;         /* from further left */
  mine = (3 * _pid) % N + 1;
active_node:
  (cell[RIGHT] == 0);
  cell[RIGHT] = mine;
  (cell[_pid] != 0);
  near = cell[_pid];
  cell[_pid] = 0;
  if
  :: near == mine ->
     leaders = leaders + 1;
     assert(leaders == 1);
     assert(mine == N);
     (cell[RIGHT] == 0);
     cell[RIGHT] = N + 1;
     (cell[_pid] != 0);
     cell[_pid] = 0;
     goto done
  :: else
  fi;
  (cell[RIGHT] == 0);
  cell[RIGHT] = near;
  (cell[_pid] != 0);
  far = cell[_pid];
  cell[_pid] = 0;
  if
  :: near > mine && near > far ->
     mine = near;
     goto active_node
  :: else
  fi;
passive:
  (cell[_pid] != 0);
  near = cell[_pid];
  cell[_pid] = 0;
  (cell[RIGHT] == 0);
  cell[RIGHT] = near;
  if
  :: near != N + 1 -> goto passive
  :: else
  fi;
done:
  skip;
end:
  false
}
