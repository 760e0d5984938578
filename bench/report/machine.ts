// The machine that figures belong to, and the file name its results have.
import { availableParallelism, cpus, loadavg, release, type as systemType, totalmem } from "node:os";
import { nodeFlags } from "../../scripts/environment.mjs";
import { describeAdapter, openNodeGpu } from "../../src/cli/nodeGpu.ts";
import type { Machine } from "./result.ts";

/** A hardware GPU that Node's WebGPU offers, in words; null where there is none or only a software one. */
export async function findGpu(): Promise<string | null> {
  const { gpu } = await openNodeGpu();
  const adapter = await gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return null;
  const { name, isSoftware } = describeAdapter(adapter.info);
  return isSoftware ? null : name;
}

/** Describes this machine; the browser's part is given by whoever opened it. */
export function describeMachine(
  gpu: string | null,
  browser: { readonly version: string; readonly flags: readonly string[] } | null,
): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown processor",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${systemType()} ${release()}`,
    node: process.version,
    nodeFlags,
    browser: browser?.version ?? null,
    browserFlags: browser?.flags ?? [],
    gpu,
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** File name of a machine's results, without extension: processor, cores and, where there is one, GPU. */
export function machineSlug({ cpu, cores, gpu }: Pick<Machine, "cpu" | "cores" | "gpu">): string {
  const text = `${cpu} ${cores} cores ${gpu ?? ""}`.replace(/\((r|tm|c)\)/gi, "");
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
}
