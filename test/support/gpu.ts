// WebGPU in Node for tests, through the "webgpu" package (Dawn). Without a GPU it needs a software
// Vulkan driver, named by VK_ICD_FILENAMES; where there is none, tests are skipped with the reason.
export interface GpuForTests {
  readonly gpu: GPU | null;
  /** Why there is none. */
  readonly skip: string | undefined;
}

let found: GpuForTests | undefined;

/** Finds an adapter once and sets navigator.gpu and WebGPU's globals, as libraries expect them. */
export async function gpuForTests(): Promise<GpuForTests> {
  found ??= await findGpu();
  return found;
}

async function findGpu(): Promise<GpuForTests> {
  try {
    const { create, globals } = await import("webgpu");
    Object.assign(globalThis, globals);
    // A software adapter takes a second to compile the clearing of each workgroup array, which no kernel
    // here relies on; without it, kernels compile some thirty times faster.
    const gpu = create(["enable-dawn-features=disable_workgroup_init"]);
    if (!(await gpu.requestAdapter())) return { gpu: null, skip: "no WebGPU adapter was found" };
    Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node", hardwareConcurrency: 1 }, configurable: true });
    return { gpu, skip: undefined };
  } catch (error) {
    return { gpu: null, skip: `WebGPU could not be started (${error instanceof Error ? error.message : String(error)})` };
  }
}
