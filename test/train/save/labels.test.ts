// What somebody writes on a saved run, where a run comes from and what a list tells of it: all of it lies in the save.

import { expect, it } from "vitest";
import { isSameStep } from "../../../src/protocol/records.ts";
import { paidParts } from "../../../src/protocol/run/paidParts.ts";
import { digestOf } from "../../../src/rl/summary/digest.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { LABEL } from "../../../src/train/host.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { packFiles, unpackFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { filesOf } from "../../support/savedFiles.ts";

const TABLE = { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 6, evalEvery: 3, evalProblems: 4 } as const;

async function trained(store = memoryStore()) {
  const session = await driveSession({ store });
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run-a", config: { ...TABLE } });
  await finished;
  await session.send({ type: "save" });
  return { session, store };
}

const listed = async ({ session }: Awaited<ReturnType<typeof trained>>) => {
  const saves = session.next("saves");
  await session.send({ type: "label", runId: "run-a", label: {} });
  return (await saves).runs;
};

it("a label is listed, and stays through every later write of the run", async () => {
  const { session, store } = await trained();
  const told = session.next("saves");
  await session.send({ type: "label", runId: "run-a", label: { name: "the good one", tags: ["paper"], isPinned: true } });
  expect((await told).runs[0]).toMatchObject({ name: "the good one", label: { tags: ["paper"], isPinned: true } });
  await session.send({ type: "set", settings: { steps: 9 } });
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "resume" });
  await finished;
  await session.send({ type: "save" });
  expect(store.saves.get("run-a")!.summary.step).toBe(9);
  expect(store.saves.get("run-a")!.files.has(LABEL)).toBe(true);
  // Another engine writes the whole save anew.
  const second = await driveSession({ store: store.otherTab() });
  store.crash();
  await second.send({ type: "continue", runId: "run-a", paused: true });
  await second.send({ type: "set", settings: { steps: 10 } });
  await second.send({ type: "save" });
  expect(store.saves.get("run-a")!.files.has(LABEL)).toBe(true);
});

it("an empty label takes it away, and one of a run that is not there is refused", async () => {
  const { session, store } = await trained();
  await session.send({ type: "label", runId: "run-a", label: { notes: "x" } });
  await session.send({ type: "label", runId: "run-a", label: {} });
  expect(store.saves.get("run-a")!.files.has(LABEL)).toBe(false);
  await expect(session.send({ type: "label", runId: "nobody", label: { notes: "x" } })).rejects.toThrow("there is no saved run nobody");
  await expect(session.send({ type: "label", runId: "run-a", label: { name: " x" } })).rejects.toThrow(/label.name must be one line/);
});

it("a label goes with the run into a file and out of it again", async () => {
  const { session } = await trained();
  await session.send({ type: "label", runId: "run-a", label: { name: "the good one" } });
  const { bytes } = await session.send({ type: "read-save", runId: "run-a" });
  const other = await driveSession({ store: memoryStore() });
  const told = other.next("saves", ({ runs }) => runs.length > 0);
  await other.send({ type: "add-save", files: [{ name: "a.rollout-lab", bytes }] });
  expect((await told).runs[0]).toMatchObject({ name: "the good one", digest: { verdict: expect.any(String) } });
});

it("a list tells the verdict, the last reward and accuracy and a curve of the run as it stands at rest", async () => {
  const run = await trained();
  const [row] = await listed(run);
  expect(row).toMatchObject({ digest: { measure: "reward", verdict: "no clear change" } });
  expect(row!.digest!.curve).toHaveLength(6);
  const saved = readSave("run-a", run.store.saves.get("run-a")!.files);
  expect(row!.digest!.accuracy).toBe(saved.evaluations.at(-1)!.sampledAccuracy);
  expect(row!.digest!.final).toBeCloseTo(saved.steps.at(-1)!.metrics.reward!, 12);
});

it("a list tells the last reward of a run that rests in the middle of a step, too", async () => {
  const store = memoryStore();
  const session = await driveSession({ store });
  const third = session.next("steps", ({ records }) => records.at(-1)!.step >= 3);
  await session.send({ type: "start", runId: "run-a", config: { ...TABLE, steps: 4000, evalEvery: 0 } });
  await third;
  const advance = () => session.send({ type: "advance", unit: "phase" });
  await advance();
  const lastRecord = () => session.all("steps").at(-1)!.records.at(-1)!;
  if (session.all("phase").at(-1)!.step <= lastRecord().step) await advance();
  expect(session.all("phase").at(-1)!.step).toBe(lastRecord().step + 1);
  const { step, digest } = store.saves.get("run-a")!.summary;
  expect(step).toBe(lastRecord().step);
  const saved = readSave("run-a", store.saves.get("run-a")!.files);
  expect(saved.steps.length).toBe(step);
  expect(digest).toEqual(digestOf({ ...saved, rewards: paidParts(saved.config, catalog) }));
});

it("a run that is opened and does nothing keeps its date, and has a new one once it goes on", async () => {
  const { store } = await trained();
  store.crash();
  const { summary, files } = store.saves.get("run-a")!;
  store.saves.set("run-a", { summary: { ...summary, savedAt: 5 }, files });
  const again = await driveSession({ store: store.otherTab() });
  await again.send({ type: "continue", runId: "run-a", paused: true });
  await again.send({ type: "save" });
  expect(store.saves.get("run-a")!.summary.savedAt).toBe(5);
  const finished = again.next("state", ({ state }) => state === "finished");
  await again.send({ type: "set", settings: { steps: 7 } });
  await again.send({ type: "resume" });
  await finished;
  await again.send({ type: "save" });
  expect(store.saves.get("run-a")!.summary.savedAt).toBeGreaterThan(5);
});

it("a digest or a label that was spoilt takes nothing of the run's row with it", async () => {
  const run = await trained();
  const { summary, files } = run.store.saves.get("run-a")!;
  run.store.saves.set("run-a", { summary: { ...summary, digest: { verdict: "wonderful" } as never }, files });
  const again = await driveSession({ store: run.store.otherTab() });
  const [row] = (await again.first("saves")).runs;
  expect(row).toMatchObject({ step: 6, config: { steps: 6 } });
  expect(row!.digest).toBeUndefined();
  run.store.saves.set("run-a", { summary, files: new Map([...files, [LABEL, new Uint8Array([1])]]) });
  const third = await driveSession({ store: run.store.otherTab() });
  expect((await third.first("saves")).runs[0]).toMatchObject({ label: {}, digest: summary.digest });
});

it("a run without a checkpoint, as recordings have none, is listed, goes on from its start and is forked, to the bit", async () => {
  const { session: first } = await trained();
  const whole = readSave("run-a", unpackFiles((await first.send({ type: "export-save" })).bytes));
  const bare = packFiles(filesOf("run-a", { ...whole, settings: liveSettingsOf(whole.config), checkpoint: null }));
  const session = await driveSession({ store: memoryStore() });
  await session.send({ type: "add-save", files: [{ name: "a.rollout-lab", bytes: bare }] });
  await session.send({ type: "continue", runId: "run-a", paused: true });
  const again = readSave("run-a", unpackFiles((await session.send({ type: "export-save" })).bytes));
  expect(again.steps.length).toBe(6);
  expect(again.steps.every((step, i) => isSameStep(step, whole.steps[i]!))).toBe(true);
  expect(again.checkpoint!.model).toEqual(whole.checkpoint!.model);
  await session.send({ type: "fork", runId: "run-a", step: 4, forkAs: "run-b", paused: true });
  const fork = readSave("run-b", unpackFiles((await session.send({ type: "export-save" })).bytes));
  expect(fork.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
});

it("a fork and a copy name the run and the step that they leave; so does a run that begins with another's weights", async () => {
  const { session, store } = await trained();
  await session.send({ type: "fork", runId: "run-a", step: 4, forkAs: "run-b", paused: true });
  await session.send({ type: "save" });
  expect(readSave("run-b", store.saves.get("run-b")!.files).parent).toEqual({ runId: "run-a", step: 4 });
  await session.send({ type: "continue", runId: "run-a", copyAs: "run-c", paused: true });
  await session.send({ type: "save" });
  expect(readSave("run-c", store.saves.get("run-c")!.files).parent).toEqual({ runId: "run-a", step: 6 });
  // A run that goes on keeps whom it comes from.
  const told = session.next("saves");
  await session.send({ type: "continue", runId: "run-b", paused: true });
  await session.send({ type: "save" });
  await session.send({ type: "label", runId: "run-b", label: { notes: "a branch" } });
  await told;
  const [row] = session
    .all("saves")
    .at(-1)!
    .runs.filter(({ runId }) => runId === "run-b");
  expect(row).toMatchObject({ parent: { runId: "run-a", step: 4 } });
  expect(readSave("run-b", store.saves.get("run-b")!.files).parent).toEqual({ runId: "run-a", step: 4 });
  expect(packFiles(store.saves.get("run-b")!.files).length).toBeGreaterThan(0);
});
