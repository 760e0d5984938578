// All threads run the same job, each on its share; the calling thread is number 0. A job is announced
// by a new generation and is over when every other thread has counted itself done.
import { backwardPartition, forwardPartition } from "./layers/block";
import { beginDecode, decodeSteps } from "./decode/decode";
import { frozen, layers, readModel } from "./layout";
import { CONTROL, FAULT, JOB, JOB_COUNT, JOB_KIND, JOB_NEXT, JOB_PATIENCE, JOB_SLOT, JOB_THREADS, KIND_BACKWARD, KIND_BEGIN_DECODE, KIND_DECODE, KIND_FORWARD, KIND_PACK_BACKWARD, KIND_PACK_FORWARD, KIND_REDUCE, KIND_STOP, KIND_TRIAL, KIND_UPDATE, TEAM, TEAM_ROUND } from "./memoryMap";
import { reduceChunk, updateChunk } from "./optimizer";
import { packAdapters } from "./product/adapterPanels";
import { packMatrix } from "./product/pack";
import { tryProduct } from "./product/gemm";
import { takeScratch } from "./scratch";
import { SECOND, SPINS } from "./team";

const GENERATION: usize = CONTROL;
const DONE: usize = CONTROL + 64;

function packItem(item: i32, backward: bool): void {
  const slot = load<i32>(JOB, JOB_SLOT);
  if (frozen != 0) packAdapters(slot, item >> 2, item & 3);
  else if (item == 4 * layers) packMatrix(slot, 0, 4, backward);
  else packMatrix(slot, item >> 2, item & 3, backward);
}

/** One thread's part of the current job. Items are handed out one by one; results do not depend on to whom. */
function work(thread: i32): void {
  readModel();
  takeScratch(thread);
  const kind = load<i32>(JOB, JOB_KIND);
  if (kind == KIND_BEGIN_DECODE) return beginDecode(thread);
  if (kind == KIND_DECODE) return decodeSteps(thread);
  const count = load<i32>(JOB, JOB_COUNT);
  while (true) {
    const item = atomic.add<i32>(JOB + JOB_NEXT, 1);
    if (item >= count) return;
    if (kind == KIND_FORWARD) forwardPartition(item);
    else if (kind == KIND_BACKWARD) backwardPartition(item);
    else if (kind == KIND_PACK_FORWARD) packItem(item, false);
    else if (kind == KIND_PACK_BACKWARD) packItem(item, true);
    else if (kind == KIND_REDUCE) reduceChunk(item);
    else if (kind == KIND_UPDATE) updateChunk(item);
    else if (kind == KIND_TRIAL) tryProduct(thread);
  }
}

// Below, no value that is still needed goes into notify or wait from a local variable: V8 (seen in Node
// 20) now and then hands the variable back with the call's result in it, and a thread count of 0 ends a
// job too early. Memory and globals are read anew instead.

/** Seconds without one more thread that is done. */
let silent: i32 = 0;

/**
 * Runs the job described at JOB on all threads and returns when it is done, or when a thread is known to be lost
 * (FAULT). Called by thread 0.
 */
export function run(): void {
  atomic.store<i32>(JOB + JOB_NEXT, 0);
  if (load<i32>(JOB, JOB_THREADS) > 1) {
    atomic.store<i32>(DONE, 0);
    atomic.add<i32>(GENERATION, 1);
    // All: those that sleep beyond the job's number would else be woken in the place of one that it needs.
    atomic.notify(GENERATION, -1);
  }
  if (load<i32>(JOB, JOB_KIND) == KIND_STOP) return;
  work(0);
  let spins = 0;
  silent = 0;
  while (true) {
    const done = atomic.load<i32>(DONE);
    if (done + 1 >= load<i32>(JOB, JOB_THREADS) || atomic.load<i32>(FAULT) != 0) return;
    if (spins++ <= SPINS) continue;
    // 2 says that the time was over. Seconds are counted one by one: of a machine that slept meanwhile, one is lost.
    if (atomic.wait<i32>(DONE, done, SECOND) != 2) silent = 0;
    else if (++silent >= load<i32>(JOB, JOB_PATIENCE)) atomic.store<i32>(FAULT, -1);
  }
}

/** Tells the others that this thread has broken down; where one has before, this one did because of it. */
export function breakDown(thread: i32): void {
  atomic.cmpxchg<i32>(FAULT, 0, thread);
  atomic.notify(DONE, 1);
  atomic.notify(TEAM + TEAM_ROUND, load<i32>(JOB, JOB_THREADS));
}

/** The generation this thread has worked on last. Threads start before the first job, when it is still 0. */
let seen: i32 = 0;

/** The life of any other thread: waits for jobs until it is told to stop. */
export function serve(thread: i32): void {
  while (true) {
    let spins = 0;
    while (atomic.load<i32>(GENERATION) == seen) {
      if (spins++ > SPINS) atomic.wait<i32>(GENERATION, seen, -1);
    }
    seen = atomic.load<i32>(GENERATION);
    if (load<i32>(JOB, JOB_KIND) == KIND_STOP) return;
    // One that was let go and has not ended yet.
    if (thread >= load<i32>(JOB, JOB_THREADS)) continue;
    work(thread);
    atomic.add<i32>(DONE, 1);
    atomic.notify(DONE, 1);
  }
}
