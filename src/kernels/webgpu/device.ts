// A GPU device of our own, opened with every feature and limit of the adapter that helps and requiring
// none of them; and the compilation of kernels, where a mistake must be an exception: WebGPU itself
// would carry on with wrong values and a line in the console.
import { errorText } from "../../protocol/problems.ts";
import { type Kernel, kernelCode } from "./kernel.ts";

const wantedFeatures: ReadonlySet<string> = new Set(["shader-f16", "subgroups"]);
const wantedLimits = ["maxBufferSize", "maxStorageBufferBindingSize", "maxStorageBuffersPerShaderStage"] as const;

/** Opens a device of the default adapter. Throws where there is no adapter. */
export async function openDevice(gpu: GPU | null): Promise<GPUDevice> {
  if (!gpu) throw new Error("this machine offers no WebGPU");
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("no GPU adapter was found");
  const requiredLimits: Record<string, number> = {};
  for (const name of wantedLimits) requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = [...adapter.features].filter((name): name is GPUFeatureName => wantedFeatures.has(name));
  return adapter.requestDevice({ label: "transformer", requiredFeatures, requiredLimits });
}

/**
 * Runs `work` and throws what the device says against it. Error scopes are a stack of the device, so
 * the work may not wait for anything in between.
 */
export async function validated<T>(device: GPUDevice, what: string, work: () => T): Promise<T> {
  const filters = ["out-of-memory", "internal", "validation"] as const;
  for (const filter of filters) device.pushErrorScope(filter);
  let result: { readonly value: T } | { readonly thrown: unknown };
  try {
    result = { value: work() };
  } catch (thrown) {
    result = { thrown };
  }
  const errors = await Promise.all(filters.map(() => device.popErrorScope()));
  const error = errors.find((found) => found !== null);
  if (error) throw new Error(`WebGPU refused ${what}: ${error.message}`);
  if ("thrown" in result) throw result.thrown;
  return result.value;
}

export interface CompiledKernel {
  readonly kernel: Kernel;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

const bufferTypes = { read: "read-only-storage", write: "storage", uniform: "uniform" } as const;

const compiled = new WeakMap<GPUDevice, Map<string, Promise<CompiledKernel>>>();

/** Compiles a kernel, once for each device; throws with the kernel's name and the compiler's messages. */
export function compileKernel(device: GPUDevice, kernel: Kernel): Promise<CompiledKernel> {
  const known = compiled.get(device) ?? new Map<string, Promise<CompiledKernel>>();
  compiled.set(device, known);
  const code = kernelCode(kernel, device.features.has("subgroups"));
  const found = known.get(code) ?? compileCode(device, kernel, code);
  known.set(code, found);
  return found;
}

async function compileCode(device: GPUDevice, kernel: Kernel, code: string): Promise<CompiledKernel> {
  const storage = kernel.buffers.filter(({ access }) => access !== "uniform").length;
  const limit = device.limits.maxStorageBuffersPerShaderStage;
  if (storage > limit) throw new Error(`internal: kernel ${kernel.label} needs ${storage} storage buffers, the device has ${limit}`);
  const { label } = kernel;
  const accesses = ["uniform", "uniform", ...kernel.buffers.map(({ access }) => access)] as const;
  const entries = accesses.map((access, binding) => ({ binding, visibility: 4, buffer: { type: bufferTypes[access] } }));
  const { module, layout } = await validated(device, `kernel ${label}`, () => ({
    module: device.createShaderModule({ label, code }),
    layout: device.createBindGroupLayout({ label, entries }),
  }));
  const { messages } = await module.getCompilationInfo();
  const errors = messages.filter(({ type }) => type === "error").map((found) => `${found.lineNum}:${found.linePos} ${found.message}`);
  if (errors.length > 0) throw new Error(`kernel ${label} does not compile: ${errors.join("; ")}`);
  try {
    const pipeline = await device.createComputePipelineAsync({
      label,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: "main" },
    });
    return { kernel, pipeline, layout };
  } catch (error) {
    throw new Error(`kernel ${label} does not compile: ${errorText(error)}`, { cause: error });
  }
}
