// WebGPU outside a browser, through the "webgpu" package (Dawn over Vulkan, Metal or Direct3D). It is there
// where the project is developed; where it or a graphics card is missing there is no GPU, and a reason.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Files of a graphics card's driver in Linux, of NVIDIA's, and of Windows' subsystem for Linux. */
const CARDS = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"];
const LIBRARY_FOLDERS = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/** Why it is of no use to look for a GPU here, null where it may be: in Linux Dawn would complain on stderr where it finds none. */
export function gpuLack(): string | null {
  if (process.platform !== "linux") return null;
  if (!CARDS.some((path) => existsSync(path))) return "no graphics card was found";
  const folders = [...(process.env.LD_LIBRARY_PATH ?? "").split(delimiter).filter(Boolean), ...LIBRARY_FOLDERS];
  return folders.some((folder) => existsSync(join(folder, "libvulkan.so.1"))) ? null : "no Vulkan is installed (libvulkan.so.1)";
}

/** A GPU in Node, or why there is none. */
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
export function describeAdapter(adapter: GPUAdapterInfo): { readonly name: string; readonly isSoftware: boolean } {
  const { vendor, architecture, description, isFallbackAdapter } = adapter;
  const name = [vendor, architecture, description].filter((part) => part !== "").join(" ");
  return { name, isSoftware: isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(name) };
}
