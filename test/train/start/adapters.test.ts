// Runs that train adapters beside a frozen base: what moves, what is kept, what is handed on, and what is refused.
import { describe, expect, it } from "vitest";
import { openModel } from "../../../src/library/openModel.ts";
import { trainRun } from "../../../src/library/trainRun.ts";
import { ADAPTER_FILES } from "../../../src/model/folder/adapterFolder.ts";
import { tensorState } from "../../../src/model/model.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { driveSession } from "../../support/driveSession.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import "../../support/kernels.ts";

const full: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", backend: "wasm", threads: 1 },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, intermediateSize: 16, groupSize: 4, promptsPerStep: 2, klCoef: 0.05 },
  ...{ steps: 4, evalEvery: 0, evalProblems: 4, learningRate: 0.01 },
};
const lora: RunConfigInput = { ...full, loraRank: 2, loraAlpha: 8, loraTargets: "query-value" };
const batch = packGroups([{ promptTokens: [1, 2], completions: [[4, 0, 3]] }], 1);

const signals = { onPreparing() {}, onLost() {}, pause: async () => {} };
const build = (config: RunConfigInput) => prepareRun("run", planRun({ config }), createNodeHost(), signals);

async function step(run: Awaited<ReturnType<typeof build>>): Promise<void> {
  const phases = run.trainer.takeStep(() => {});
  while (!(await phases.next()).done);
}

describe("a run with adapters", () => {
  it("begins as the run that trains all weights begins", async () => {
    const [one, other] = [await build(full), await build(lora)];
    expect(await other.wholeWeights()).toEqual(await one.wholeWeights());
    expect(await other.model.score(batch, "policy")).toEqual(await one.model.score(batch, "policy"));
    expect(other.model.report).toMatchObject({ parameters: one.model.report.parameters });
    expect(other.model.report.description).toContain("of which 112 in adapters are trained");
    for (const run of [one, other]) run.model.dispose();
  });

  it("moves its adapters alone, keeps them alone, and leaves reference and start as the base is", async () => {
    const run = await build(lora);
    const base = await run.wholeWeights();
    const before = await run.model.score(batch, "policy");
    for (let i = 0; i < 3; i++) await step(run);
    const state = tensorState(await run.model.save());
    const names = ["q_proj", "v_proj"].flatMap((name) => ["A", "B"].map((ab) => `model.layers.0.self_attn.${name}.lora_${ab}.weight`));
    for (const set of [state.policy, state.first, state.second, state.reference!])
      expect(set.layout.map(({ name }) => name)).toEqual(names);
    const whole = await run.wholeWeights();
    const moved = whole.layout.filter(({ offset, size }) =>
      whole.values.subarray(offset, offset + size).some((value, i) => value !== base.values[offset + i]),
    );
    expect(moved.map(({ name }) => name)).toEqual(["q_proj", "v_proj"].map((name) => `model.layers.0.self_attn.${name}.weight`));
    expect(await run.model.score(batch, "reference")).toEqual(before);
    expect(await run.model.score(batch, "policy")).not.toEqual(before);
    expect(await run.atStart(() => run.model.score(batch, "reference"))).toEqual(before);
    run.model.dispose();
  });

  it("hands its merged weights on to a run that trains all of them", async () => {
    const session = await driveSession();
    const exported = async () => (await session.send({ type: "export-model" })).find(({ name }) => name === "model.safetensors")!.bytes;
    await session.send({ type: "start", runId: "first", config: lora, paused: true });
    const start = await exported();
    await session.send({ type: "advance", unit: "step" });
    await session.send({ type: "advance", unit: "step" });
    const merged = await exported();
    expect(merged).not.toEqual(start);
    await session.send({ type: "start", runId: "second", config: full, inherit: true, paused: true });
    expect(await exported()).toEqual(merged);
    await expect(session.send({ type: "start", runId: "third", config: lora, inherit: true })).rejects.toThrow(
      'loraRank must be 0 with startFrom "run"',
    );
  });

  it("comes back from PEFT's folder beside the same base, and refuses another", async () => {
    const run = await trainRun(lora, createNodeHost());
    const trained = await run.openModel();
    const scores = await trained.model.score(batch, "policy");
    const built = await build(lora);
    await built.model.load(await trained.model.save());
    const files = await built.adapterFiles();
    expect(files.map(({ name }) => name)).toEqual([...ADAPTER_FILES, "README.md"]);
    const again = await openModel({ files, config: full }, createNodeHost());
    expect(again.config).toMatchObject({ loraRank: 2, loraAlpha: 8, loraTargets: "query-value", loraRankStabilized: false });
    expect(await again.model.score(batch, "policy")).toEqual(scores);
    await expect(openModel({ files, config: { ...full, hiddenSize: 8 } }, createNodeHost())).rejects.toThrow(
      'the adapters: tensor "model.layers.0.self_attn.q_proj.lora_A.weight" must have shape [2, 8], got [2, 16]',
    );
    for (const { model } of [trained, built, again]) model.dispose();
  });

  it("refuses a reference that is mixed, which adapters cannot be", async () => {
    expect(() => planRun({ config: { ...lora, referenceSyncEvery: 2, referenceMix: 0.5 } })).toThrow(
      "referenceMix must be 1 with loraRank > 0",
    );
    expect(planRun({ config: { ...lora, referenceSyncEvery: 2, referenceMix: 1 } }).config.loraRank).toBe(2);
  });
});
