// A save says which kernels computed its run: one that goes on with kernels of other bits says so, and no other does.
import { expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { unpackFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { saveOf } from "../../support/savedFiles.ts";

const config: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", backend: "wasm", threads: 1 },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, groupSize: 4, promptsPerStep: 1, steps: 4, evalEvery: 0 },
};

/** An engine whose machine has no relaxed SIMD: bytes that are no module do not validate. */
const { readAsset } = createNodeHost();
const onPlain = (store = memoryStore()) =>
  driveSession({ store, readAsset: async (path) => (path.includes("relaxed") ? Uint8Array.of(0) : readAsset(path)) });

it("a run that goes on with kernels that round otherwise than those it was saved with says so", async () => {
  const store = memoryStore();
  const session = await onPlain(store);
  await session.send({ type: "start", runId: "run", config, paused: true });
  await session.send({ type: "advance", unit: "step" });
  await session.send({ type: "save" });
  const state = readSave("run", store.saves.get("run")!.files);
  expect(state.backend).toEqual({ kernelBuild: "plain" });
  const { bytes } = await session.send({ type: "export-save" });
  expect(readSave("run", unpackFiles(bytes)).backend).toEqual(state.backend);
  const remarks = async (kernelBuild: "relaxed, fused" | "relaxed, unfused" | "plain") => {
    const there = memoryStore();
    there.saves.set("run", saveOf("run", { ...state, backend: { kernelBuild } }));
    const next = await onPlain(there);
    await next.send({ type: "continue", runId: "run", paused: true });
    return next.all("notice").map(({ message }) => message);
  };
  expect(await remarks("plain")).toEqual([]);
  expect(await remarks("relaxed, unfused")).toEqual([]);
  expect(await remarks("relaxed, fused")).toEqual([
    'The run was computed by the kernels "relaxed, fused" and goes on with "plain", which round in another way. From here on its numbers differ in their last bits from what they would have been.',
  ]);
});
