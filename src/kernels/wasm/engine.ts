// One instance of the kernels with its memory and threads: writes a job's words and runs it. The
// calling thread does its share and blocks until the others are done, so it must be allowed to.

import { LabError } from "../../protocol/problems.ts";
import * as map from "../assembly/memoryMap.ts";
import { Arena } from "./arena.ts";
import { chooseThreads, placeTrial, UNTRIED } from "./chooseThreads.ts";
import { chooseTile, measureBuild, setTile } from "./chooseTile.ts";
import type { KernelExports, KernelHost, KernelThreadHandle, MeasuredBuild } from "./kernelModule.ts";
import { type KernelBuild, loadKernels } from "./kernelModule.ts";
import { reserveScratch } from "./modelShape.ts";

const JOB_KINDS = {
  stop: map.KIND_STOP,
  forward: map.KIND_FORWARD,
  backward: map.KIND_BACKWARD,
  packForward: map.KIND_PACK_FORWARD,
  packBackward: map.KIND_PACK_BACKWARD,
  reduce: map.KIND_REDUCE,
  update: map.KIND_UPDATE,
  beginDecode: map.KIND_BEGIN_DECODE,
  decode: map.KIND_DECODE,
  trial: map.KIND_TRIAL,
} as const;

type JobKind = keyof typeof JOB_KINDS;

interface JobOptions {
  /** Items that threads take one by one; 0 where each thread has its own share. */
  readonly count?: number;
  readonly slot?: number;
  readonly temperature?: number;
  readonly steps?: number;
  /** Address of the partitions' words. */
  readonly partitions?: number;
}

/** What requests are placed in and run on: an engine, or one that only counts what they take. */
export interface JobRunner {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  readonly threads: number;
  /** Takes every thread's scratch from the current request, for attention rows of so many keys. */
  takeScratch(maxKeys: number): void;
  /** Runs one job to its end. */
  run(kind: JobKind, options?: JobOptions): void;
}

interface EngineOptions {
  readonly threads: number;
  /** Keeps fewer of the threads where a short trial finds no gain in all. Results have the same bits either way. */
  readonly asTheyGain?: boolean | undefined;
  readonly build?: KernelBuild | undefined;
  /** Height of the product's tile; by default the faster one. Results have the same bits either way. */
  readonly tile?: 6 | 4 | undefined;
  /** Seconds without an answer of any thread after which one counts as lost. */
  readonly patience?: number | undefined;
}

/** Longer than any thread's part of a job takes. */
const PATIENCE_SECONDS = 120;

const closeAll = (threads: readonly KernelThreadHandle[]) => {
  for (const thread of threads) thread.close();
};

/** Threads hold the memory that they sleep on, so that of an engine that nobody holds any more they are closed. */
const forgotten = new FinalizationRegistry(closeAll);

/** Owned state: memory, instance and threads. */
export class Engine implements JobRunner {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  readonly build: MeasuredBuild;
  /** Rows of the chosen tile. */
  readonly tileRows: number;
  #threads: number;
  readonly #others: KernelThreadHandle[];
  readonly #patience: number;
  #isOver = false;

  private constructor(
    arena: Arena,
    kernels: KernelExports,
    build: MeasuredBuild,
    others: KernelThreadHandle[],
    tileRows: number,
    patience: number,
  ) {
    this.#patience = patience;
    this.arena = arena;
    this.kernels = kernels;
    this.build = build;
    this.#others = others;
    this.#threads = others.length + 1;
    this.tileRows = tileRows;
    forgotten.register(this, others, this);
  }

  /** Loads, starts threads (one where memory cannot be shared), and chooses the tile; leaves no thread behind when it fails. */
  static async start(host: KernelHost, options: EngineOptions): Promise<Engine> {
    const start = host.startKernelThread;
    const shared = options.threads > 1 && start !== null;
    const { build, module } = await loadKernels(host, shared, options.build);
    const arena = new Arena(shared);
    const instance = await WebAssembly.instantiate(module, { env: { memory: arena.memory } });
    const kernels = instance.exports as unknown as KernelExports;
    const tileRows = options.tile ? setTile(arena, options.tile) : chooseTile(kernels, arena, host);
    const measured = measureBuild(build, kernels, arena);
    const others: KernelThreadHandle[] = [];
    try {
      for (let index = 1; shared && index < options.threads; index++) others.push(start());
      await Promise.all(others.map((thread, i) => thread.start(module, arena.memory, i + 1)));
    } catch (error) {
      closeAll(others);
      throw error;
    }
    const engine = new Engine(arena, kernels, measured, others, tileRows, options.patience ?? PATIENCE_SECONDS);
    if (options.asTheyGain && engine.threads > UNTRIED) engine.#keepThreads(host);
    return engine;
  }

  /** Lets go of the threads that a trial finds no gain in. */
  #keepThreads(host: KernelHost): void {
    const factors = placeTrial(this.kernels, this.arena, this.threads);
    this.#threads = chooseThreads(this.threads, host, (threads, count) => {
      this.#threads = threads;
      this.run("trial", { count, partitions: factors });
    });
    for (const thread of this.#others.splice(this.threads - 1)) thread.close();
  }

  get threads(): number {
    return this.#threads;
  }

  /** Takes every thread's scratch from the current request, for attention rows of so many keys. */
  takeScratch(maxKeys: number): void {
    reserveScratch(this.kernels, this.arena, this.threads, maxKeys);
  }

  /** Runs one job to its end. Throws where a thread is lost; what the job worked on is then of no more use. */
  run(kind: JobKind, options: JobOptions = {}): void {
    this.#checkThreads();
    const job = this.arena.words(map.JOB, map.JOB_BYTES / 4);
    job[map.JOB_KIND >> 2] = JOB_KINDS[kind];
    job[map.JOB_SLOT >> 2] = options.slot ?? 0;
    job[map.JOB_COUNT >> 2] = options.count ?? 0;
    job[map.JOB_PARTITIONS >> 2] = options.partitions ?? 0;
    job[map.JOB_STEPS >> 2] = options.steps ?? 0;
    job[map.JOB_THREADS >> 2] = this.threads;
    this.arena.floats(map.JOB + map.JOB_TEMPERATURE, 1)[0] = options.temperature ?? 1;
    job[map.JOB_PATIENCE >> 2] = this.#patience;
    try {
      this.kernels.run();
    } finally {
      // The calling thread traps where it waits for one that is lost.
      this.#checkThreads();
    }
  }

  #checkThreads(): void {
    if (this.#isOver) throw new LabError("the model is closed: open it again to ask it", "closed");
    const fault = this.#fault();
    if (fault > 0) throw new Error(`kernel thread ${fault} broke down in its work`);
    if (fault < 0) throw new Error(`a kernel thread has not answered for ${this.#patience} seconds and counts as lost`);
  }

  /** The thread that broke down, or a negative number for one that does not answer; 0 where all are well. */
  #fault(): number {
    return this.arena.words(map.FAULT, 1)[0]!;
  }

  /** Ends the threads; whoever runs a job afterwards hears that it is over. */
  dispose(): void {
    if (this.#isOver) return;
    if (this.#fault() === 0) this.run("stop");
    this.#isOver = true;
    forgotten.unregister(this);
    closeAll(this.#others);
  }
}
