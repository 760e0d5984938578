// The work by which numbers of threads are compared: a small product whose result nobody wants.
import { JOB, JOB_PARTITIONS, TRIAL_DEPTH, TRIAL_ROWS } from "../memoryMap";
import { matmul } from "./gemm";

const WIDTH: usize = (TRIAL_DEPTH as usize) << 2;
const A_BYTES: usize = (TRIAL_ROWS as usize) * WIDTH;
const B_BYTES: usize = (TRIAL_DEPTH as usize) * WIDTH;

/** The factors lie at JOB_PARTITIONS; behind them each thread has a place for results. */
export function tryProduct(thread: i32): void {
  const a = load<u32>(JOB, JOB_PARTITIONS) as usize;
  const b = a + A_BYTES;
  matmul(TRIAL_ROWS, TRIAL_DEPTH, TRIAL_DEPTH, a, WIDTH, b, (TRIAL_DEPTH as usize) << 5, 32, b + B_BYTES + (thread as usize) * A_BYTES, WIDTH, false);
}
