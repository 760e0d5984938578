// Checkpoints beside the last one: every so many steps and the best by evaluation. Forks begin at the nearest one, to the bit.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { isSameStep } from "../../../../src/protocol/records.ts";
import type { RunStore } from "../../../../src/train/host.ts";
import { bytesOfKept, type KeptHeader, keptReasons, withKept } from "../../../../src/train/save/kept/keptCheckpoints.ts";
import { decodeManifest } from "../../../../src/train/save/manifest.ts";
import { readSave } from "../../../../src/train/save/readSave.ts";
import { unpackFiles } from "../../../../src/train/save/rollout/packedFiles.ts";
import { driveSession } from "../../../support/driveSession.ts";
import { type MemoryStore, memoryStore } from "../../../support/memoryStore.ts";

const TABLE: RunConfigInput = {
  task: "digit-sum",
  model: "tabular",
  promptsPerStep: 2,
  groupSize: 8,
  steps: 12,
  evalEvery: 3,
  evalProblems: 8,
};

async function trained(config: RunConfigInput, store = memoryStore()) {
  const session = await driveSession({ store });
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config });
  await finished;
  await session.send({ type: "save" });
  return { session, store };
}
const keptOf = (store: MemoryStore, runId = "run") =>
  (decodeManifest(store.saves.get(runId)!.files.get("run")!, runId).checkpoints ?? []).map(({ header, why }) => [header.step, [...why]]);
const savedOf = (store: MemoryStore, runId: string) => readSave(runId, store.saves.get(runId)!.files);

/** The steps that a fork takes again, and what it has recorded. */
async function forked(store: MemoryStore, step: number, forkAs: string) {
  const session = await driveSession({ store: store.otherTab() });
  await session.send({ type: "fork", runId: "run", step, forkAs, settings: { learningRate: 0.05 }, paused: true });
  for (let i = 0; i < 2; i++) await session.send({ type: "advance", unit: "step" });
  const now = readSave(forkAs, unpackFiles((await session.send({ type: "export-save" })).bytes));
  const repeated = session.all("preparing").filter(({ what }) => what.startsWith("repeating"));
  return { taken: repeated[0]?.total ?? 0, steps: now.steps, last: now.checkpoint };
}

describe("checkpoints beside the last one", () => {
  it("are kept every so many steps, listed with why and bytes, and a fork begins at the nearest, to the bit", async () => {
    const { session, store } = await trained({ ...TABLE, checkpointEvery: 4 });
    expect(keptOf(store)).toEqual([
      [4, ["every"]],
      [8, ["every"]],
      [12, ["every"]],
    ]);
    const told = session.next("saves");
    await session.send({ type: "label", runId: "run", label: {} });
    const [row] = (await told).runs;
    expect(row!.checkpoints).toMatchObject([{ step: 4, why: ["every"] }, { step: 8 }, { step: 12 }]);
    expect(row!.checkpoints![0]!.bytes).toBeGreaterThan(0);
    const plain = await trained(TABLE);
    const [with_, without] = [await forked(store, 9, "fork"), await forked(plain.store, 9, "fork")];
    expect([with_.taken, without.taken]).toEqual([1, 9]);
    expect(with_.steps).toHaveLength(11);
    for (const [i, step] of without.steps.entries()) expect(isSameStep(with_.steps[i]!, step)).toBe(true);
    expect(with_.last?.model).toEqual(without.last?.model);
  });

  it("have one best, the newest that surpassed all before it", async () => {
    const { store } = await trained({
      task: "digit-sum",
      algorithm: "builtin",
      model: "tabular",
      steps: 200,
      evalEvery: 20,
      keepBest: true,
    });
    const { evaluations } = savedOf(store, "run");
    const after = evaluations.filter(({ step }) => step > 0);
    const best = after.reduce((most, each) => (each.sampledAccuracy > most.sampledAccuracy ? each : most));
    const start = evaluations.find(({ step }) => step === 0)?.sampledAccuracy ?? 0;
    expect(keptOf(store)).toEqual(best.sampledAccuracy > start ? [[best.step, ["best"]]] : []);
    expect(best.sampledAccuracy).toBeGreaterThan(start);
  });

  it("stay when the run goes on and its save is written anew, and belong to no fork and no copy", async () => {
    const { store } = await trained({ ...TABLE, checkpointEvery: 4 });
    store.crash();
    const other = store.otherTab();
    const session = await driveSession({ store: other });
    await session.send({ type: "continue", runId: "run", paused: true });
    await session.send({ type: "set", settings: { steps: 16 } });
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "resume" });
    await finished;
    await session.send({ type: "save" });
    expect(keptOf(store).map(([step]) => step)).toEqual([4, 8, 12, 16]);
    expect(savedOf(store, "run").checkpoints).toHaveLength(4);
    await session.send({ type: "continue", runId: "run", copyAs: "copy", paused: true });
    await session.send({ type: "save" });
    expect(keptOf(store, "copy")).toEqual([]);
  });

  it("are read by nobody but a fork: not to list, open, compare or share the run, nor to go on with it", async () => {
    const { store } = await trained({ ...TABLE, checkpointEvery: 4 });
    store.crash();
    const other = store.otherTab();
    const read = new Set<string>();
    const watched: RunStore = {
      ...other,
      read: async (runId, isWanted) => {
        const files = await other.read(runId, isWanted);
        for (const name of files.keys()) if (name.endsWith("/model.policy")) read.add(name.split("/")[1]!);
        return files;
      },
    };
    const session = await driveSession({ store: watched });
    await session.send({ type: "open", runId: "run", paused: true });
    await session.send({ type: "records", runId: "run" });
    await session.send({ type: "export-rollout", runId: "run", checkpoint: false });
    expect([...read]).toEqual([]);
    await session.send({ type: "export-rollout", runId: "run", checkpoint: true });
    await session.send({ type: "continue", runId: "run", paused: true });
    expect([...read]).toEqual(["12"]);
    await session.send({ type: "fork", runId: "run", step: 9, forkAs: "fork", paused: true });
    expect([...read]).toEqual(["12", "8"]);
  });

  it("cost a run nothing where their files are damaged or gone: a fork repeats more steps", async () => {
    const { store } = await trained({ ...TABLE, checkpointEvery: 4 });
    const { summary, files } = store.saves.get("run")!;
    const spoilt = new Map(
      [...files].map(([name, bytes]) => [name, name.startsWith("checkpoint/8/") ? bytes.map((byte) => byte ^ 1) : bytes]),
    );
    store.saves.set("run", { summary, files: spoilt });
    expect((await forked(store, 9, "fork")).taken).toBe(5);
    store.saves.set("run", { summary, files: new Map([...files].filter(([name]) => !/^checkpoint\/[48]\/model.policy/.test(name))) });
    const again = await forked(store, 9, "again");
    expect(again.taken).toBe(9);
    expect(again.steps).toHaveLength(11);
  });

  it("and the last one's arrays may be gone: the run is opened and forked all the same, and says why it cannot go on", async () => {
    const { store } = await trained({ ...TABLE, checkpointEvery: 4 });
    const { summary, files } = store.saves.get("run")!;
    store.saves.set("run", { summary, files: new Map([...files].filter(([name]) => name !== "checkpoint/12/model.policy")) });
    store.crash();
    const session = await driveSession({ store: store.otherTab() });
    await expect(session.send({ type: "continue", runId: "run" })).rejects.toThrow(
      "cannot go on: its last weights are no longer in this browser (checkpoint/12/model.policy is missing)",
    );
    await session.send({ type: "open", runId: "run", paused: true });
    expect(session.all("history").at(-1)?.steps).toHaveLength(12);
    const told = session.next("saves");
    await session.send({ type: "label", runId: "run", label: {} });
    expect((await told).runs[0]!.config).not.toBeNull();
    expect((await forked(store, 9, "fork")).taken).toBe(1);
    await session.send({ type: "fork", runId: "run", step: 12, forkAs: "end", paused: true });
    expect(session.all("preparing").at(-1)?.what).toMatch(/^repeating step \d+ of 12/);
  });
});

const header = (step: number, why: KeptHeader["why"], values = 25_000): KeptHeader => ({
  header: {
    ...{ step, random: [1, 2, 3, 4], loader: 0, controllers: {}, optimizerSteps: { model: step } },
    tokenizer: "11-00000000",
    arrays: [{ name: "model.policy", kind: "float32", length: values, file: `checkpoint/${step}/model.policy`, sha256: "" }],
  },
  settings: {},
  why,
});

it("within their room they are thinned evenly, and the best goes last", () => {
  let kept: readonly KeptHeader[] = [];
  for (let step = 1; step <= 64; step++) kept = withKept(kept, header(step, step === 7 ? ["best"] : ["every"]), 1e6);
  expect(bytesOfKept(kept)).toBeLessThanOrEqual(1e6);
  const steps = kept.map((each) => each.header.step);
  expect(steps).toContain(7);
  expect(steps).toContain(64);
  expect(Math.max(...steps.slice(1).map((step, i) => step - steps[i]!))).toBeLessThanOrEqual(32);
  expect(withKept(kept, header(65, ["every"]), 150_000).map((each) => each.header.step)).toEqual([7]);
  expect(withKept([], header(1, ["best"]), 10)).toEqual([]);
});

it("a step is kept for as many reasons as it has", () => {
  const evaluation = (step: number, sampledAccuracy: number) => ({ step, sampledAccuracy }) as Parameters<typeof keptReasons>[2][number];
  const settings = { checkpointEvery: 4, keepBest: true };
  expect(keptReasons(8, settings, [evaluation(0, 0.1), evaluation(8, 0.2)])).toEqual(["every", "best"]);
  expect(keptReasons(8, settings, [evaluation(4, 0.2), evaluation(8, 0.2)])).toEqual(["every"]);
  expect(keptReasons(9, settings, [evaluation(8, 0.2)])).toEqual([]);
  expect(keptReasons(0, settings, [evaluation(0, 0.2)])).toEqual([]);
});
