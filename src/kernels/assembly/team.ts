// Threads that work on one thing in stages: each takes items until none is left, then all meet before the next stage.
// A stage is some microseconds long, so that who arrives first looks for a while before it sleeps.
import { FAULT, JOB, JOB_NEXT, JOB_PATIENCE, JOB_THREADS, TEAM, TEAM_ARRIVED, TEAM_ROUND, TEAM_SLEEPERS } from "./memoryMap";

/** Looks this often before it sleeps: long enough for the work between two jobs, as waking costs 0.1 ms and more. */
export const SPINS: i32 = 60000;
/** A second, in the nanoseconds of a wait. */
export const SECOND: i64 = 1000000000;

/** The next item of the stage; each is given out once, to whoever asks first. */
@inline export function takeItem(): i32 {
  return atomic.add<i32>(JOB + JOB_NEXT, 1);
}

// As in threads.ts, nothing that is still needed is in a local variable across a wait or a notification.
/** The round of meetings that this thread is in. */
let round: i32 = 0;
/** Seconds without a meeting. */
let silent: i32 = 0;
let spins: i32 = 0;

/** Returns when all threads have come here; items then begin anew. Traps where a thread is known to be lost (FAULT). */
export function meet(): void {
  if (load<i32>(JOB, JOB_THREADS) == 1) return store<i32>(JOB + JOB_NEXT, 0);
  round = atomic.load<i32>(TEAM + TEAM_ROUND);
  if (atomic.add<i32>(TEAM + TEAM_ARRIVED, 1) + 1 < load<i32>(JOB, JOB_THREADS)) return awaitOthers();
  atomic.store<i32>(TEAM + TEAM_ARRIVED, 0);
  atomic.store<i32>(JOB + JOB_NEXT, 0);
  atomic.add<i32>(TEAM + TEAM_ROUND, 1);
  // Who is about to sleep has counted itself before it looks at the round once more.
  if (atomic.load<i32>(TEAM + TEAM_SLEEPERS) != 0) atomic.notify(TEAM + TEAM_ROUND, load<i32>(JOB, JOB_THREADS));
}

function awaitOthers(): void {
  spins = 0;
  silent = 0;
  while (atomic.load<i32>(TEAM + TEAM_ROUND) == round) {
    if (atomic.load<i32>(FAULT) != 0) unreachable();
    if (spins++ <= SPINS) continue;
    atomic.add<i32>(TEAM + TEAM_SLEEPERS, 1);
    // 2 says that the time was over.
    if (atomic.wait<i32>(TEAM + TEAM_ROUND, round, SECOND) != 2) silent = 0;
    else if (++silent >= load<i32>(JOB, JOB_PATIENCE)) atomic.store<i32>(FAULT, -1);
    atomic.sub<i32>(TEAM + TEAM_SLEEPERS, 1);
  }
}
