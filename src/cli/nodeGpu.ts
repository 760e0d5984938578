// WebGPU outside a browser, through the "webgpu" package (Dawn over Vulkan, Metal or Direct3D). It is there
// where the project is developed; where it or a graphics card is missing there is no GPU, and a reason.

export interface NodeGpu {
  readonly gpu: GPU | null;
  /** Why there is none. */
  readonly obstacle: string | null;
}

/**
 * Finds an adapter and sets navigator.gpu and WebGPU's globals, as libraries expect them.
 * @param features of Dawn, such as "enable-dawn-features=disable_workgroup_init".
 */
export async function openNodeGpu(features: readonly string[] = []): Promise<NodeGpu> {
  try {
    const { create, globals } = await import("webgpu");
    Object.assign(globalThis, globals);
    const gpu = create([...features]);
    if (!(await gpu.requestAdapter())) return { gpu: null, obstacle: "no WebGPU adapter was found" };
    Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node", hardwareConcurrency: 1 }, configurable: true });
    return { gpu, obstacle: null };
  } catch (error) {
    return { gpu: null, obstacle: `WebGPU could not be started (${error instanceof Error ? error.message : String(error)})` };
  }
}

/** An adapter in words, and whether a processor plays its part. */
export function describeAdapter({ vendor, architecture, description, isFallbackAdapter }: GPUAdapterInfo): {
  readonly name: string;
  readonly isSoftware: boolean;
} {
  const name = [vendor, architecture, description].filter((part) => part !== "").join(" ");
  return { name, isSoftware: isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(name) };
}
