import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/rl/sandbox/sandbox.ts";
import { sandboxThread } from "../../workers/hostParts.ts";
import { createNodeHost } from "../support/nodeHost.ts";

/** A worker whose script never arrives, as under a policy that forbids it, or that answers `before` inputs and then breaks. */
function brokenWorker(before: number): Worker {
  const worker = {
    onmessage: null as ((event: { readonly data: unknown }) => void) | null,
    onerror: null as ((event: { readonly message: string }) => void) | null,
    postMessage(message: object) {
      if ("interpreter" in message) return;
      for (let i = 0; i < before; i++) worker.onmessage?.({ data: i === 0 ? "up" : [1] });
      worker.onerror?.({ message: "" });
    },
    terminate() {},
  };
  return worker as unknown as Worker;
}

describe("a thread whose script does not arrive", () => {
  it.each([0, 2])("leaves no verdict waited for, after %i words", async (before) => {
    const { now, sleep, readAsset } = createNodeHost();
    const sandbox = createSandbox({ now, sleep, readAsset, startSandbox: () => sandboxThread(brokenWorker(before)) });
    const job = { source: "", entry: "reward", options: {}, workMs: 50 };
    const failed = { reason: "the thread of the sandbox could not be started" };
    const inputs = ["a", "b", "c"].map((value) => ({ value, seed: 0 }));
    expect(await sandbox.run({ job, inputs })).toEqual(inputs.map((_, i) => (i < before - 1 ? 1 : failed)));
  });
});
