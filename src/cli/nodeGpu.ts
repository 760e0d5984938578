// WebGPU outside a browser, through the "webgpu" package (Dawn over Vulkan, Metal or Direct3D). It is there
// where the project is developed; where it or a graphics card is missing there is no GPU, and a reason.

import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { errorText } from "../protocol/problems.ts";

/** Files of a graphics card's driver in Linux, of NVIDIA's, and of Windows' subsystem for Linux. */
const CARDS = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"];
const VULKAN = "libvulkan.so.1";
const LOADER_CACHE = "/etc/ld.so.cache";
const LIBRARY_FOLDERS = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/** Why Dawn would find nothing here, null where it may find something: in Linux it complains on stderr of a Vulkan that is not there. */
export function vulkanLack(): string | null {
  if (process.platform !== "linux") return null;
  const folders = [...(process.env.LD_LIBRARY_PATH ?? "").split(delimiter).filter(Boolean), ...LIBRARY_FOLDERS];
  if (folders.some((folder) => existsSync(join(folder, VULKAN)))) return null;
  const known = existsSync(LOADER_CACHE) && readFileSync(LOADER_CACHE).includes(VULKAN);
  return known ? null : `no Vulkan is installed (${VULKAN})`;
}

/** Why it is of no use to look for a GPU here by oneself, null where it may be. */
export function gpuLack(): string | null {
  if (process.platform === "linux" && !CARDS.some((path) => existsSync(path))) return "no graphics card was found";
  return vulkanLack();
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
    return { gpu: null, obstacle: `WebGPU could not be started (${errorText(error)})` };
  }
}

/** An adapter in words, and whether a processor plays its part. */
export function describeAdapter(adapter: GPUAdapterInfo): { readonly name: string; readonly isSoftware: boolean } {
  const { vendor, architecture, description, isFallbackAdapter } = adapter;
  const name = [vendor, architecture, description].filter((part) => part !== "").join(" ");
  return { name, isSoftware: isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(name) };
}
