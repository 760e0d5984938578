// The host of a run: Node's, with a graphics card where one is there and the run's backend may use it.
import type { RunConfig } from "../../protocol/config.ts";
import type { Host } from "../../train/host.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import type { Device } from "../lab/verb.ts";
import { createNodeHost } from "../nodeHost.ts";

type Backend = RunConfig["backend"];
type WhatComputes = Pick<RunConfig, "backend" | "model">;

/** Which of its hosts a run has, and why it has no GPU where it asked for one by name. */
async function openHost({ backend, model }: WhatComputes, overrides: Partial<Host>) {
  if (backend === "tinker") return serverHost(overrides);
  const needsGpu = backend.endsWith("webgpu");
  if (model === "tabular" || !(needsGpu || backend === "auto")) return { host: createNodeHost(overrides), lacking: null };
  const { gpuLack, openNodeGpu, vulkanLack } = await import("../nodeGpu.ts");
  // Who names WebGPU gets whatever Dawn finds, a software driver of a folder of its own too.
  const lack = needsGpu ? vulkanLack() : gpuLack();
  const { gpu, obstacle } = lack === null ? await openNodeGpu() : { gpu: null, obstacle: lack };
  if (gpu) return { host: createNodeHost({ ...overrides, gpu }), lacking: null };
  // Where the choice is the engine's, it tells why there is no GPU among what it tried.
  const host = createNodeHost({ ...overrides, ...(obstacle === null ? {} : { gpuObstacle: obstacle }) });
  return { host, lacking: needsGpu ? obstacle : null };
}

/** A host with the server that was named, or the environment's. Throws a CommandError where there is none. */
async function serverHost(overrides: Partial<Host>) {
  if (overrides.openServer) return { host: createNodeHost(overrides), lacking: null };
  const { ADDRESS_VARIABLE, namedServer } = await import("../remote/httpServer.ts");
  const server = await namedServer(undefined);
  if (!server)
    throw new CommandError(`backend tinker needs a server that speaks the Tinker API: give its address with --url or ${ADDRESS_VARIABLE}`);
  return { host: createNodeHost({ ...overrides, openServer: async () => server }), lacking: null };
}

/** The host of a run that trains. Throws a CommandError where it asks for WebGPU and there is none. */
export async function hostOf(config: WhatComputes, overrides: Partial<Host>): Promise<Host> {
  const { host, lacking } = await openHost(config, overrides);
  if (lacking !== null) throw new CommandError(`${lacking}: choose --device wasm`, EXIT.missing);
  return host;
}

/** The host and the backend of a run that is looked at. Throws a CommandError where the device is named and not there. */
export async function hostToLook(
  config: WhatComputes,
  device: Device | undefined,
  overrides: Partial<Host> = {},
): Promise<{ readonly host: Host; readonly backend: Backend; readonly notice: string | null }> {
  if (device !== undefined) return { host: await hostOf({ ...config, backend: device }, overrides), backend: device, notice: null };
  const { host, lacking } = await openHost(config, overrides);
  if (lacking === null) return { host, backend: config.backend, notice: null };
  return { host, backend: "wasm", notice: `this run was trained with ${config.backend}, and ${lacking}: WebAssembly computes instead` };
}
