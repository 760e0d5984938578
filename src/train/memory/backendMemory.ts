// What each backend would take for a workload, and what it can have at most.
import { MOST_BYTES } from "../../kernels/wasm/arena.ts";
import { loadKernels } from "../../kernels/wasm/kernelModule.ts";
import type { Workload } from "../../model/backend.ts";
import type { FrozenBase } from "../../model/lora/frozenBase.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { GpuLimits } from "../../model/webgpu/memoryCount.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { bytesText, type MemoryPart } from "../../protocol/memory.ts";
import { type BackendCandidate, gpuObstacle } from "../backend/backendCandidates.ts";
import type { Hardware, Kept } from "../host.ts";

export interface BackendMemory {
  readonly parts: readonly MemoryPart[];
  /** Bytes of the parts that are given back after each request, so that another model can have them; 0 where they are kept. */
  readonly passing: number;
  /** Why that is too much, to follow "to fit in"; null where it is not. */
  readonly limit: string | null;
}

/** @param frozen a base with hollow tensors, beside which adapters are trained; null where all weights are. */
export type Count = (shape: TransformerConfig, workload: Workload, frozen: FrozenBase | null) => Promise<BackendMemory> | BackendMemory;

export const sumOf = (parts: readonly MemoryPart[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

const within = (parts: readonly MemoryPart[], most: number, whose: string): BackendMemory => ({
  parts,
  passing: 0,
  limit: sumOf(parts) > most ? `the ${bytesText(most)} of ${whose}` : null,
});

const modules = new WeakMap<Hardware, WebAssembly.Module>();

/** The kernels that run here, compiled once; null where it has none. */
async function kernelsOf(hardware: Hardware): Promise<WebAssembly.Module | null> {
  const known = modules.get(hardware);
  if (known) return known;
  try {
    const { module } = await loadKernels(hardware, false);
    modules.set(hardware, module);
    return module;
  } catch {
    return null;
  }
}

/** Addresses in TensorFlow.js's own memory are whole numbers of 32 bits, signed. */
const MOST_COMPOSED_BYTES = 2 ** 31;

async function gpuLimits(hardware: Hardware): Promise<GpuLimits | null> {
  const adapter = await hardware.gpu?.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  return adapter?.limits ?? null;
}

/** What is not there takes nothing: why it is not is said by whoever chooses the backend. */
const nothing: Count = () => ({ parts: [], passing: 0, limit: null });

async function wasmCount({ threads: asked, reproducible }: RunConfig, hardware: Hardware): Promise<Count> {
  const module = await kernelsOf(hardware);
  if (!module) return nothing;
  const { countWasmMemory } = await import("../../model/wasm/memoryCount.ts");
  const threads = hardware.startKernelThread ? asked || hardware.cores : 1;
  const cut = reproducible ? { threads } : { threads, partitions: threads };
  return async (shape, workload, frozen) =>
    within(await countWasmMemory(shape, module, cut, workload, frozen), MOST_BYTES, "the kernels' memory");
}

async function webgpuCount(hardware: Hardware): Promise<Count> {
  const limits = await gpuLimits(hardware);
  if (!limits) return nothing;
  const { countWebgpuMemory } = await import("../../model/webgpu/memoryCount.ts");
  return (shape, workload, frozen) => {
    try {
      return { parts: countWebgpuMemory(shape, limits, workload, frozen), passing: 0, limit: null };
    } catch {
      return { parts: [], passing: 0, limit: `the ${bytesText(limits.maxStorageBufferBindingSize)} that this GPU can bind at once` };
    }
  };
}

async function composedCount(): Promise<Count> {
  const { countComposedMemory } = await import("../../model/composed/memoryCount.ts");
  return (shape, workload) => {
    const { held, request } = countComposedMemory(shape, workload);
    return { ...within([...held, request], MOST_COMPOSED_BYTES, "TensorFlow.js"), passing: request.bytes };
  };
}

/** How a backend counts. */
function memoryCount(id: BackendCandidate["id"], config: RunConfig, hardware: Hardware): Promise<Count> {
  if (id === "wasm") return wasmCount(config, hardware);
  return id === "webgpu" ? webgpuCount(hardware) : composedCount();
}

/** What of this machine decides what a run may take. */
export interface Machine {
  /** How a backend counts, with the threads that a configuration gives it. */
  count(id: BackendCandidate["id"], config: RunConfig): Promise<Count>;
  /** Why there is no GPU; null where there is one. */
  gpuObstacle(): Promise<string | null>;
  /** Null where it is not known, or only that it is large. */
  readonly memoryBytes: number | null;
  /** Whether runs are saved, and so copied on the way. */
  readonly isStored: boolean;
}

export function machineOf(host: Hardware & Kept): Machine {
  return {
    count: (id, config) => memoryCount(id, config, host),
    gpuObstacle: () => gpuObstacle(host),
    memoryBytes: host.memoryBytes,
    isStored: host.store !== null,
  };
}
