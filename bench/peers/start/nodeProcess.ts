// A peer's process in Node: makes the engine it is told to, answers requests over the channel to its
// parent, and ends with it.
import { readFileSync } from "node:fs";
import { openNodeGpu } from "../../../src/cli/nodeGpu.ts";
import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import type { Workload } from "../../measure/workload.ts";
import type { PeerRequest, PeerSpec } from "../../peer.ts";
import { createResponder, type PeerEngine } from "../engine.ts";

const MIB = 2 ** 20;

async function createEngine(spec: PeerSpec, workload: Workload): Promise<PeerEngine> {
  if (spec.engine === "jax-js") {
    const { createJaxEngine } = await import("../engines/jaxEngine.ts");
    return createJaxEngine(workload);
  }
  if (spec.engine === "tfjs-plain") {
    const { createPlainTfjsEngine } = await import("../engines/plainTfjsEngine.ts");
    return createPlainTfjsEngine(workload, createNodeHost());
  }
  const { createBackendEngine } = await import("../backendEngine.ts");
  return createBackendEngine(spec, workload, createNodeHost({ gpu: spec.engine.includes("webgpu") ? gpu : null }));
}

/** Largest resident set. Linux's resource usage starts at the parent's size, so its own status is read first. */
function peakKiB(): number {
  try {
    const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    if (peak) return Number(peak);
  } catch {
    // Another system than Linux.
  }
  return process.resourceUsage().maxRSS;
}

let gpu: GPU | null = null;
const respond = createResponder({
  create: createEngine,
  resident: () => ({ nowMiB: process.memoryUsage.rss() / MIB, peakMiB: peakKiB() / 1024 }),
});

process.on("message", async (request: PeerRequest) => {
  // The classes that are watched must be there before the watch begins.
  if (request.do === "start" && request.spec.engine.includes("webgpu")) gpu ??= (await openNodeGpu()).gpu;
  process.send?.(await respond(request));
});
process.send?.({ ok: true, value: "up" });
// The channel keeps this module, and with it the process, alive.
await new Promise((resolve) => process.once("disconnect", resolve));
process.exit(0);
