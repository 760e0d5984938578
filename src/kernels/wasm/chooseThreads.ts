// How many of the threads that a machine is said to be good for gain time: browsers may tell more cores than there are, and a
// container may have the time of fewer than it counts. Measured when the engine starts.
import { TRIAL_DEPTH, TRIAL_ROWS } from "../assembly/memoryMap.ts";
import type { Arena } from "./arena.ts";
import type { KernelExports, KernelHost } from "./kernelModule.ts";
import { reserveScratch } from "./modelShape.ts";

/** Products by which their speed is first known. */
const FIRST = 64;
/** What one thread takes for a job: turns of a scheduler, so that beside other programs more threads get more of them and are kept. */
const jobMs = (threads: number) => Math.max(8, threads);
const ROUNDS = 3;
/** All threads must be so much faster than half as many could be. */
const GAIN = 1.1;
/** So many are taken at their word: hardly a machine has one core, and a busy one must not look as if it had. */
export const UNTRIED = 2;

/** Places the factors of a trial's products, and room for so many threads' results; their address. */
export function placeTrial(kernels: KernelExports, arena: Arena, threads: number): number {
  arena.begin();
  const a = arena.take((TRIAL_ROWS * (1 + threads) + TRIAL_DEPTH) * TRIAL_DEPTH * 4);
  arena.floats(a, (TRIAL_ROWS + TRIAL_DEPTH) * TRIAL_DEPTH).fill(1);
  reserveScratch(kernels, arena, threads, 0);
  return a;
}

/**
 * Runs so many products on one thread and on all, in turns, until all are seen to gain what only as many cores can give: one round where
 * they are there. Otherwise half as many are kept, or half of those, as the best round has it.
 * @param run runs products on the first of the threads
 */
export function chooseThreads(most: number, { now }: Pick<KernelHost, "now">, run: (threads: number, products: number) => void): number {
  const time = (threads: number, products: number) => {
    const start = now();
    run(threads, products);
    return now() - start;
  };
  const firstMs = Math.max(time(1, FIRST), 0.1);
  run(most, FIRST);
  const products = Math.ceil((FIRST * jobMs(most)) / firstMs);
  let gain = 0;
  for (let round = 0; round < ROUNDS && gain < (GAIN * most) / 2; round++) gain = Math.max(gain, time(1, products) / time(most, products));
  let threads = most;
  while (threads > UNTRIED && gain < (GAIN * threads) / 2) threads = Math.ceil(threads / 2);
  return threads;
}
