// TensorFlow.js is there to be compared with: what takes it without having been asked to says so, and why.
import { expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const config: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", threads: 1 },
  ...{ hiddenSize: 8, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 8, groupSize: 2, promptsPerStep: 1, steps: 1, evalEvery: 0 },
};

/** An engine on a machine that has none of the project's own kernels. */
const { readAsset } = createNodeHost();
const withoutKernels = (store = memoryStore()) =>
  driveSession({
    store,
    readAsset: async (path) => {
      if (path.startsWith("kernels/")) throw new Error("no kernels here");
      return readAsset(path);
    },
  });

const sentence =
  /^TensorFlow\.js computes this run, many times slower than the kernels that are made for it\. No other .*wasm: no kernels here/;

it("a run for which nothing else is left begins with the sentence, and so does its continuation", async () => {
  const store = memoryStore();
  const session = await withoutKernels(store);
  await session.send({ type: "start", runId: "run", config, paused: true });
  expect(session.all("started")[0]!.backend.id).toBe("tfjs-wasm");
  expect(session.all("notice").map(({ message }) => message)).toEqual([expect.stringMatching(sentence)]);
  await session.send({ type: "save" });
  const there = memoryStore();
  there.saves.set("run", store.saves.get("run")!);
  const next = await withoutKernels(there);
  await next.send({ type: "continue", runId: "run", paused: true });
  expect(next.all("notice").map(({ message }) => message)).toEqual([expect.stringMatching(sentence)]);
});

it("one that was asked to use it says nothing", async () => {
  const session = await withoutKernels();
  await session.send({ type: "start", runId: "run", config: { ...config, backend: "tfjs-wasm" }, paused: true });
  expect(session.all("started")[0]!.backend.reason).toBe("Chosen in the configuration.");
  expect(session.all("notice")).toEqual([]);
});
