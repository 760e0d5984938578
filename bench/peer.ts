// The line between the benchmark and what it measures. A worker does one workload for one peer; it
// lives in a process of its own (Node, Python) or in a browser worker, and answers requests.
import type { BenchPhase, Workload } from "./measure/workload.ts";

/** What a worker is made for. */
export interface PeerSpec {
  readonly engine: "wasm" | "tfjs-wasm" | "tfjs-plain" | "webgpu" | "tfjs-webgpu" | "jax-js" | "pytorch";
  readonly runtime: "node" | "chromium" | "python";
  readonly threads: number;
  /** WASM build; the best one where left out. */
  readonly build?: "relaxed" | "plain";
  /** PyTorch through torch.compile. */
  readonly compiled?: boolean;
}

export interface PeerMemory {
  /** Largest resident set of the peer's process, MiB; null in a browser, whose processes are shared. */
  readonly peakMiB: number | null;
  /** Resident before the model was made: runtime and libraries. */
  readonly baseMiB: number | null;
  /** What the engine itself says it uses, MiB, where it can say. */
  readonly engineMiB: number | null;
}

/** One matrix product [m, k] · [k, n] on one thread. */
export interface ProductRate {
  readonly m: number;
  readonly k: number;
  readonly n: number;
  readonly gflops: number;
}

/** What one phase put on the GPU. */
export interface GpuCounts {
  readonly dispatches: number;
  readonly passes: number;
  readonly submits: number;
  /** Time in JavaScript from opening a command encoder to the return of its submit. */
  readonly recordMs: number;
}

/** Time to record a phase's dispatches, pipelines and bind groups included. */
export interface RecordingTime {
  readonly dispatches: number;
  readonly usPerDispatch: number;
  /** The same calls to WebGPU with nothing around them. */
  readonly bareUsPerDispatch: number;
}

export interface GpuRecording {
  /** One update of one micro-batch. */
  readonly train: RecordingTime;
  /** The decode steps between two looks at the results. */
  readonly decode: RecordingTime;
}

export interface PeerFacts {
  readonly version: string;
  readonly threads: number;
  /** Anything worth knowing: build, tile, device. */
  readonly note: string;
}

/** A worker that is ready: everything compiled, both phases run once. */
export interface RunningPeer {
  readonly facts: PeerFacts;
  /** Milliseconds of each of `repeats` runs of a phase. */
  time(phase: BenchPhase, repeats: number): Promise<readonly number[]>;
  memory(): Promise<PeerMemory>;
  /** Speed of plain matrix products on one thread of the same kernels; null where the peer cannot tell. */
  products(): Promise<readonly ProductRate[] | null>;
  /** Counts of one run of a phase; null off the GPU. */
  gpuCounts(phase: BenchPhase): Promise<GpuCounts | null>;
  /** Recording alone, with nothing counted; null where the peer's programs cannot be had by themselves. */
  gpuRecording(): Promise<GpuRecording | null>;
  close(): Promise<void>;
}

/** Starts a worker. Rejects with a sentence where the peer cannot run here. */
export type StartPeer = (spec: PeerSpec, workload: Workload) => Promise<RunningPeer>;

/** Requests and replies as they cross a process or a message port. */
export type PeerRequest =
  | { readonly do: "start"; readonly spec: PeerSpec; readonly workload: Workload; readonly gpu: boolean }
  | { readonly do: "time"; readonly phase: BenchPhase; readonly repeats: number }
  | { readonly do: "memory" | "products" | "gpuRecording" }
  | { readonly do: "gpuCounts"; readonly phase: BenchPhase };

export type PeerReply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };

/** Short name of a peer for tables and the command line. */
export function peerId({ engine, runtime, threads, build, compiled }: PeerSpec): string {
  const parts = [engine, build ?? "", compiled ? "compiled" : "", runtime === "python" ? "" : runtime, `${threads}t`];
  return parts.filter((part) => part !== "").join("-");
}

const ENGINE_TITLES: Readonly<Record<PeerSpec["engine"], string>> = {
  wasm: "Rollout Lab, own WASM kernels",
  "tfjs-wasm": "TensorFlow.js composed, WASM",
  "tfjs-plain": "TensorFlow.js as commonly written, WASM",
  webgpu: "Rollout Lab, own WebGPU kernels",
  "tfjs-webgpu": "TensorFlow.js composed, WebGPU",
  "jax-js": "jax-js, WASM",
  pytorch: "PyTorch",
};

/** A peer in words. */
export function peerTitle({ engine, runtime, threads, build, compiled }: PeerSpec): string {
  const how = engine === "pytorch" ? (compiled ? " compiled" : " eager") : build ? `, ${build}` : "";
  const where = runtime === "node" ? "Node" : runtime === "chromium" ? "Chromium" : "CPU";
  return `${ENGINE_TITLES[engine]}${how} (${where}, ${threads} ${threads === 1 ? "thread" : "threads"})`;
}
