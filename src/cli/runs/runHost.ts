// The host of a run: Node's, with a graphics card where the configuration asks for one by name.
import type { RunConfig } from "../../protocol/config.ts";
import type { Host } from "../../train/host.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import { createNodeHost } from "../nodeHost.ts";

/** Throws a CommandError where the configuration asks for WebGPU and there is none. */
export async function hostOf({ backend, model }: Pick<RunConfig, "backend" | "model">, overrides: Partial<Host>): Promise<Host> {
  if (model === "tabular" || !backend.endsWith("webgpu")) return createNodeHost(overrides);
  const { openNodeGpu } = await import("../nodeGpu.ts");
  const { gpu, obstacle } = await openNodeGpu();
  if (!gpu) throw new CommandError(`${obstacle}: choose --device wasm`, EXIT.missing);
  return createNodeHost({ ...overrides, gpu });
}
