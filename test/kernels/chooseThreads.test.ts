// The choice of a number of threads, on a clock that only their work moves.
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { createNodeHost, startNodeKernelThread } from "../../src/cli/nodeHost.ts";
import { CONTROL } from "../../src/kernels/assembly/memoryMap.ts";
import { chooseThreads } from "../../src/kernels/wasm/chooseThreads.ts";
import { Engine } from "../../src/kernels/wasm/engine.ts";

/** Where the other threads count themselves done with a job: see kernels/assembly/threads.ts. */
const THREADS_DONE = CONTROL + 64;

const PRODUCT_MS = 0.013;

/** A machine with so many cores, on which `delay` says how much longer than alone each job takes. */
function machine(cores: number, delay: (job: number) => number = () => 1) {
  let time = 0;
  let jobs = 0;
  const run = (threads: number, products: number) => {
    time += (products * PRODUCT_MS * delay(jobs++)) / Math.min(threads, cores) + 0.1;
  };
  return { choose: (told: number) => chooseThreads(told, { now: () => time }, run), elapsedMs: () => time };
}

it.each([
  [4, 2, 2],
  [8, 4, 4],
  [8, 2, 2],
  [8, 6, 8],
  [16, 2, 2],
  [64, 2, 2],
  [6, 3, 3],
  [4, 4, 4],
  [3, 3, 3],
  [64, 64, 64],
])("where %i cores are told and %i are there, %i threads compute", (told, cores, threads) => {
  expect(machine(cores).choose(told)).toBe(threads);
});

it("keeps threads that gain half of what cores would, as two of one core do", () => {
  expect(machine(2.6).choose(4)).toBe(4);
});

it("takes no more than tens of milliseconds, and one round where the cores are there", () => {
  for (const [told, cores, mostMs] of [
    [4, 4, 15],
    [16, 16, 20],
    [4, 2, 45],
  ] as const) {
    const timed = machine(cores);
    timed.choose(told);
    expect(timed.elapsedMs()).toBeLessThan(mostMs);
  }
});

it("keeps all threads where one of three rounds was not disturbed", () => {
  expect(machine(4, (job) => (job < 6 ? 1 + (job % 2) * 9 : 1)).choose(4)).toBe(4);
});

/** Starts an engine on a clock that tells of every second reading how long the job between them took, the last for all others. */
async function startOn(threads: number, jobsMs: readonly number[]) {
  let readings = 0;
  let time = 0;
  let closed = 0;
  const now = () => {
    if (readings++ % 2 === 1) time += jobsMs[Math.min(readings / 2, jobsMs.length) - 1]!;
    return time;
  };
  const ends: (() => void)[] = [];
  const startKernelThread = () => {
    const thread = startNodeKernelThread();
    // A thread takes a while to end.
    const close = () => {
      closed++;
      ends.push(thread.close);
    };
    return { ...thread, close };
  };
  const host = createNodeHost({ now, startKernelThread });
  const engine = await Engine.start(host, { threads, asTheyGain: true, tile: 6, patience: 5 });
  const endAll = () => {
    for (const end of ends) end();
  };
  return { engine, closed: () => closed, endAll };
}

it("lets go of the threads that gain nothing, and the others go on, though those are still asleep", async () => {
  const { engine, closed, endAll } = await startOn(4, [1, 8, 4]);
  expect([engine.threads, closed()]).toEqual([2, 2]);
  for (let job = 0; job < 20; job++) {
    engine.run("reduce");
    // Long enough for all to fall asleep, in an order that nobody says.
    await setTimeout(5);
    expect(engine.arena.words(THREADS_DONE, 1)[0]).toBe(1);
  }
  engine.dispose();
  expect(closed()).toBe(3);
  endAll();
});

it("tries no number that was asked for, nor two", async () => {
  const { engine, endAll } = await startOn(2, [1, 8, 8]);
  expect(engine.threads).toBe(2);
  engine.dispose();
  endAll();
});
