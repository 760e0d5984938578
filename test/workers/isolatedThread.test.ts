import { describe, expect, it } from "vitest";
import { createIsolate } from "../../src/rl/rewards/isolate.ts";
import { isolatedThread } from "../../workers/hostParts.ts";

/** A worker whose script never arrives, as under a policy that forbids it, or that answers `before` inputs and then breaks. */
function brokenWorker(before: number): Worker {
  const worker = {
    onmessage: null as ((event: { readonly data: unknown }) => void) | null,
    onerror: null as ((event: { readonly message: string }) => void) | null,
    postMessage() {
      for (let i = 0; i < before; i++) worker.onmessage?.({ data: i === 0 ? "up" : 1 });
      worker.onerror?.({ message: "" });
    },
    terminate() {},
  };
  return worker as unknown as Worker;
}

describe("a thread whose script does not arrive", () => {
  it.each([0, 2])("leaves no verdict waited for, after %i words", async (before) => {
    const clock = { now: () => performance.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
    const isolate = createIsolate({ ...clock, startIsolated: () => isolatedThread(brokenWorker(before)) });
    const job = { kind: "pattern", source: "a", flags: "su" } as const;
    const failed = { reason: "the thread for what may never end could not be started" };
    const inputs = ["a", "b", "c"];
    expect(await isolate.run({ job, inputs })).toEqual(inputs.map((_, i) => (i < before - 1 ? 1 : failed)));
  });
});
