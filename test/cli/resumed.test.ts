// What may change of a run that goes on: everything that its updates do not read.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readRecords } from "../../src/cli/folder/recordedRun.ts";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { readSetting } from "../../src/cli/training/configFile.ts";
import { findResumed } from "../../src/cli/training/resumed.ts";
import { type Training, trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import { liveKeys } from "../../src/protocol/config/configFacts.ts";
import { type RunConfigInput, runConfigSchema } from "../../src/protocol/config.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "resumed-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const train = async (name: string, from: Training["from"]) =>
  trainInFolder({
    ...{
      folder: from && "config" in from ? await createRunFolder(join(folder, name), { name }) : { path: join(folder, name), runId: name },
    },
    ...{ from, host: createNodeHost(), trajectories: 0 },
    progress: { tell() {}, doing() {}, at() {}, end() {} },
    interrupt: { onAsked() {}, isAsked: false },
  });

const SHAPE: RunConfigInput = { hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16 };
const config: RunConfigInput = {
  ...{ ...SHAPE, task: "digit-sum", model: "transformer", backend: "wasm", threads: 1, algorithm: "grpo", promptsPerStep: 2, groupSize: 4 },
  ...{ steps: 4, evalEvery: 2, evalProblems: 2, evalSamples: 1 },
};

/** Fields that say how a run is measured, kept and computed, with another value. */
const OTHER = [
  ...["evalEvery=1", "evalProblems=1", "evalSamples=2", "measureUpdate=false", "splitGradNormEvery=1", "microBatchTokens=64"],
  ...["autosaveEvery=3", "checkpointEvery=2", "keepBest=true", "checkpointMegabytes=1", "keptMegabytes=1", "threads=2"],
];

it("how a run is measured, kept and computed may change where it goes on, and its updates stay the same to the bit", async () => {
  await train("whole", { config: { ...config, steps: 8 }, parent: null });
  await train("part", { config, parent: null });
  const path = join(folder, "part");
  const { settings, plan } = await findResumed(path, undefined, ["steps=8", ...OTHER].map(readSetting));
  expect(plan.threads).toBe(2);
  const { recorder } = await train("part", { settings, plan });
  const learnt = async (at: string) =>
    (await readRecords({ path: at, runId: "any" })).steps.map(({ metrics: { reward, loss, grad_norm, entropy } }) => [
      reward,
      loss,
      grad_norm,
      entropy,
    ]);
  expect(await learnt(path)).toEqual(await learnt(join(folder, "whole")));
  expect(recorder.recorded.evaluations.map(({ step }) => step)).toEqual([0, 2, 4, 5, 6, 7, 8]);
  expect(recorder.recorded.evaluations.at(-1)).toMatchObject({ problems: 1, samplesPerProblem: 2 });
});

it("every field of how a run is measured and kept is live, and none that a run is made of", () => {
  const facts = Object.entries(runConfigSchema.shape).map(([key, { facts: found }]) => ({ key, ...found }) as const);
  const measured = facts.filter(({ key, ...marks }) => key.startsWith("eval") || ("aside" in marks && marks.aside && !("fixed" in marks)));
  expect(measured.length).toBeGreaterThan(6);
  expect(measured.map(({ key }) => key).filter((key) => !(liveKeys as readonly string[]).includes(key))).toEqual([]);
});

it("what the updates read may not, nor whether a run is saved at all", async () => {
  const path = join(folder, "part");
  for (const word of ["groupSize=8", "seed=3", "minibatches=2", "task=gcd"])
    await expect(findResumed(path, undefined, [readSetting(word)])).rejects.toThrow("was begun with");
  const { settings, plan } = await findResumed(path, undefined, ["steps=20", "autosaveEvery=0"].map(readSetting));
  await expect(train("part", { settings, plan })).rejects.toThrow("autosaveEvery must be >= 1 while a run goes on, got 0");
});
