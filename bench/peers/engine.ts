// What a peer's engine looks like inside its worker, and the loop that answers requests with it. The
// same code runs in a Node process and in a browser worker.

import type { BenchPhase, Workload } from "../measure/workload.ts";
import type { GpuCounts, GpuRecording, PeerFacts, PeerMemory, PeerReply, PeerRequest, PeerSpec, ProductRate } from "../peer.ts";
import { countGpu } from "./start/gpuWatch.ts";

export interface PeerEngine {
  readonly facts: PeerFacts;
  /** One update. */
  train(): Promise<void>;
  /** One rollout. */
  decode(): Promise<void>;
  /** Plain matrix products on one thread; null where the engine has none to offer. */
  products(): readonly ProductRate[] | null;
  /** Times the recording of dispatches, where the engine's programs can be had by themselves. */
  gpuRecording?(): Promise<GpuRecording>;
  /** Bytes the engine says it uses, or null. */
  engineBytes(): number | null;
}

/** What a worker's surroundings give it. */
export interface WorkerSurroundings {
  /** Makes an engine for a workload. */
  create(spec: PeerSpec, workload: Workload, gpu: boolean): Promise<PeerEngine>;
  /** Resident set now and at its largest, MiB; null where it cannot be told. */
  resident(): { readonly nowMiB: number; readonly peakMiB: number } | null;
}

async function timePhase(engine: PeerEngine, phase: BenchPhase, repeats: number): Promise<readonly number[]> {
  const ms: number[] = [];
  for (let i = 0; i < repeats; i++) {
    const before = performance.now();
    await engine[phase]();
    ms.push(performance.now() - before);
  }
  return ms;
}

async function countPhase(engine: PeerEngine, phase: BenchPhase, counted: boolean): Promise<GpuCounts | null> {
  return counted ? countGpu(() => engine[phase]()) : null;
}

const MIB = 2 ** 20;

/** Answers requests one after the other; the first must be "start". */
export function createResponder(surroundings: WorkerSurroundings): (request: PeerRequest) => Promise<PeerReply> {
  let engine: PeerEngine | null = null;
  let baseMiB: number | null = null;
  let onGpu = false;
  const answer = async (request: PeerRequest): Promise<unknown> => {
    if (request.do === "start") {
      baseMiB = surroundings.resident()?.nowMiB ?? null;
      onGpu = request.spec.engine.includes("webgpu");
      engine = await surroundings.create(request.spec, request.workload, request.gpu);
      // Compiling, tracing and growing memory happen on the first run and are not counted.
      await engine.train();
      await engine.decode();
      return engine.facts;
    }
    if (!engine) throw new Error("internal: the peer was not started");
    if (request.do === "time") return timePhase(engine, request.phase, request.repeats);
    if (request.do === "products") return engine.products();
    if (request.do === "gpuRecording") return (await engine.gpuRecording?.()) ?? null;
    if (request.do === "gpuCounts") return countPhase(engine, request.phase, onGpu);
    const bytes = engine.engineBytes();
    const memory: PeerMemory = {
      peakMiB: surroundings.resident()?.peakMiB ?? null,
      baseMiB,
      engineMiB: bytes === null ? null : bytes / MIB,
    };
    return memory;
  };
  return async (request) => {
    try {
      return { ok: true, value: await answer(request) };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  };
}
