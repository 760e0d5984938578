// Which peers take part in a run, in the order of the tables.
import { type PeerSpec, peerId } from "../peer.ts";

export interface PeerChoice {
  /** Numbers of threads to try. */
  readonly threads: readonly number[];
  readonly browser: boolean;
  /** Whether WebGPU is measured for speed: only on real hardware. */
  readonly gpu: boolean;
  /** Only peers whose name contains one of these; all where empty. */
  readonly only: readonly string[];
}

function inRuntime(runtime: "node" | "chromium", threads: readonly number[]): readonly PeerSpec[] {
  const most = Math.max(...threads);
  return [
    ...threads.map((count): PeerSpec => ({ engine: "wasm", runtime, threads: count, build: "relaxed" })),
    { engine: "wasm", runtime, threads: most, build: "plain" },
    // TensorFlow.js has no threads in Node and does not start them in a bundled worker; jax-js has none in Node.
    { engine: "tfjs-wasm", runtime, threads: 1 },
    { engine: "tfjs-plain", runtime, threads: 1 },
    { engine: "jax-js", runtime, threads: runtime === "node" ? 1 : most },
  ];
}

/** WebGPU peers in Node. */
export const gpuPeers: readonly PeerSpec[] = [
  { engine: "webgpu", runtime: "node", threads: 1 },
  { engine: "tfjs-webgpu", runtime: "node", threads: 1 },
];

/** The same kernels in a browser: its WebGPU talks to another process, so recording costs other than in Node. */
export const browserGpuPeers: readonly PeerSpec[] = [{ engine: "webgpu", runtime: "chromium", threads: 1 }];

/** All peers that the choice allows. */
export function choosePeers({ threads, browser, gpu, only }: PeerChoice): readonly PeerSpec[] {
  const most = Math.max(...threads);
  const all: readonly PeerSpec[] = [
    ...inRuntime("node", threads),
    ...(browser ? inRuntime("chromium", threads) : []),
    ...(gpu ? gpuPeers : []),
    ...threads.map((count): PeerSpec => ({ engine: "pytorch", runtime: "python", threads: count })),
    { engine: "pytorch", runtime: "python", threads: most, compiled: true },
  ];
  return all.filter((spec) => only.length === 0 || only.some((part) => peerId(spec).includes(part)));
}
