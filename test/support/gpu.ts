// WebGPU in Node for tests. Without a GPU it needs a software Vulkan driver, named by VK_ICD_FILENAMES;
// where there is none, tests are skipped with the reason.
import { describeAdapter, openNodeGpu } from "../../src/cli/nodeGpu.ts";

export interface GpuForTests {
  readonly gpu: GPU | null;
  /** Why there is none. */
  readonly skip: string | undefined;
  /** Whether a processor plays the graphics card. */
  readonly isSoftware: boolean;
}

let found: Promise<GpuForTests> | undefined;

/**
 * Dawn asks the GPU whether it is done in every turn of the event loop, by the global setImmediate. Where
 * the processor plays the GPU, asking takes as much of it as the work that is waited for: once a
 * millisecond is enough.
 */
function askLessOften(): void {
  const later = (callback: (...args: unknown[]) => void, ...args: unknown[]) => setTimeout(callback, 1, ...args);
  Object.defineProperty(globalThis, "setImmediate", { value: later, configurable: true, writable: true });
}

/** Finds an adapter once. */
export function gpuForTests(): Promise<GpuForTests> {
  found ??= findGpu();
  return found;
}

async function findGpu(): Promise<GpuForTests> {
  // A software adapter takes a second to compile the clearing of each workgroup array, which no kernel
  // here relies on; without it, kernels compile some thirty times faster.
  const { gpu, obstacle } = await openNodeGpu(["enable-dawn-features=disable_workgroup_init"]);
  const adapter = await gpu?.requestAdapter();
  const isSoftware = adapter ? describeAdapter(adapter.info).isSoftware : true;
  if (isSoftware) askLessOften();
  return { gpu, skip: obstacle ?? undefined, isSoftware };
}
