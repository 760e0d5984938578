// The same prompts over time: what is recorded of them is what training would score, the run is the one that
// nobody looked at, and the record survives.
import { describe, expect, it } from "vitest";
import { tensorState } from "../../../src/model/model.ts";
import { plainForward, plainLogSoftmax } from "../../../src/model/plainForward.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { ProbeRecord } from "../../../src/protocol/records.ts";
import { isProbeDue, LISTED, PROBES, probePolicy } from "../../../src/train/queries/probes.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { groupRecord } from "../../../src/train/step/stepRecords.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import "../../support/kernels.ts";

const small: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", threads: 1, backend: "wasm" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, learningRate: 0.01 },
  ...{ promptsPerStep: 1, groupSize: 4, steps: 6, evalEvery: 4, evalProblems: 4, evalSamples: 2, temperature: 0.8 },
};
const table: RunConfigInput = { task: "digit-sum", algorithm: "grpo", model: "tabular", steps: 40, evalEvery: 7, temperature: 0.8 };
const boxed: RunConfigInput = { ...small, task: "boxed-arithmetic", maxCompletionTokens: 6 };
const cases: readonly (readonly [string, RunConfigInput])[] = [
  ["a transformer", small],
  ["a transformer with prompts of its own", boxed],
  ["a transformer on TensorFlow.js", { ...small, backend: "tfjs-wasm" }],
  ["a logits table", table],
];

const prepared = (config: RunConfigInput) =>
  prepareRun("run", planRun({ config }), createNodeHost(), { onPreparing: () => {}, onLost: () => {}, pause: async () => {} });
type Run = Awaited<ReturnType<typeof prepared>>;

async function takeStep({ trainer, history }: Run) {
  const step = trainer.takeStep(() => {});
  for (;;) {
    const result = await step.next();
    if (result.done) return result.value.metrics;
    if (result.value.sampled) history.add(result.value.sampled);
  }
}

/** All that comes of a few steps, with and without a look after each. */
async function course(config: RunConfigInput, looks: boolean) {
  const run = await prepared(config);
  const metrics: unknown[] = [];
  for (let step = 0; step < 4; step++) {
    if (looks) await probePolicy(run);
    const { reward, loss, kl, entropy, grad_norm } = await takeStep(run);
    metrics.push([reward, loss, kl, entropy, grad_norm]);
  }
  const came = { metrics, state: await run.model.save(), trainer: run.trainer.save() };
  run.model.dispose();
  return came;
}

/** Steps at which a run of so many records, evaluated every so often. */
function schedule(steps: number, evalEvery: number, vocabulary = 512): readonly number[] {
  const due: number[] = [];
  for (let step = 0; step <= steps; step++)
    if (isProbeDue(step, due.at(-1), step === steps ? "last" : step % evalEvery === 0 ? "evaluation" : "step", vocabulary)) due.push(step);
  return due;
}

describe("the same prompts over time", () => {
  it("are asked at the start, at each early step, ever more seldom, and at the last step", () => {
    expect(schedule(100, 1e9)).toEqual([0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 86, 100]);
    expect(schedule(100, 1e9, 49_152)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 100]);
    expect(schedule(1000, 50).length).toBeLessThan(40);
    expect(schedule(1_000_000, 1).length).toBeLessThan(400);
  });

  it.each(cases.filter(([, { task }]) => task === "digit-sum"))("have the log-probs that %s was trained with", async (_, config) => {
    const run = await prepared(config);
    const [answer] = (await probePolicy(run)).answers;
    await takeStep(run);
    const { trajectories } = groupRecord(run.history.get(1)!, 0, run.task, run.renderer);
    // The first token follows on the prompt alone, which is the same; in a table every token follows on nothing.
    const places = config.model === "tabular" ? answer!.tokens_T.length : 1;
    for (const { tokens, channels } of trajectories)
      for (let t = 0; t < places; t++) {
        const at = answer!.tokens_T[t]!.indexOf(tokens[t]!);
        if (at >= 0) expect(answer!.logprobs_T[t]![at]!).toBeCloseTo(channels.oldLogprobs![t]!, 5);
        else expect(run.model.report.vocabulary).toBeGreaterThan(LISTED);
      }
    run.model.dispose();
  });

  it("have the log-probs of a plain forward pass over the prompt and the answer", async () => {
    const run = await prepared(boxed);
    await takeStep(run);
    const { answers } = await probePolicy(run);
    const weights_N = Float32Array.from(tensorState(await run.model.save()).policy.values);
    for (const [p, example] of run.task.evaluation(PROBES).entries()) {
      const prompt = run.renderer.renderPrompt(run.task.envs.build(example, 0).start());
      const { tokens_T, logprobs_T } = answers[p]!;
      const said = tokens_T.map(([token]) => token!);
      const { logits_TV } = plainForward(run.transformer!, weights_N, [...prompt, ...said.slice(0, -1)]);
      for (const [t, listed] of tokens_T.entries()) {
        const logprobs_V = plainLogSoftmax(logits_TV[prompt.length - 1 + t]!, boxed.temperature!);
        for (const [i, token] of listed.entries()) expect(logprobs_T[t]![i]!).toBeCloseTo(logprobs_V[token]!, 4);
      }
    }
    run.model.dispose();
  });

  it.each(cases)("list what %s says and the likeliest tokens beside it", async (_, config) => {
    const run = await prepared(config);
    await takeStep(run);
    const { answers } = await probePolicy(run);
    expect(answers.length).toBe(config.task === "digit-sum" ? 1 : PROBES);
    for (const { tokens_T, logprobs_T } of answers) {
      for (const [t, listed] of tokens_T.entries()) {
        expect(new Set(listed).size).toBe(Math.min(LISTED, run.model.report.vocabulary));
        const logprobs = logprobs_T[t]!;
        expect(logprobs).toEqual(logprobs.toSorted((a, b) => b - a));
        const sum = logprobs.reduce((total, logprob) => total + Math.exp(logprob), 0);
        if (run.model.report.vocabulary <= LISTED) expect(sum).toBeCloseTo(1, 5);
        else expect(sum).toBeLessThanOrEqual(1 + 1e-5);
      }
    }
    run.model.dispose();
  });

  it.each(cases)("leave a run of %s as it was, to the bit", async (_, config) => {
    expect(await course(config, true)).toEqual(await course(config, false));
  });

  it("are kept with the run, whether or not it is interrupted", async () => {
    const store = memoryStore();
    const session = await driveSession({ store });
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "run", config: table });
    await finished;
    const { records, prompts, pieces } = await session.send({ type: "probes" });
    expect(records.map(({ step }: ProbeRecord) => step)).toEqual([0, 1, 2, 3, 4, 6, 7, 10, 14, 19, 21, 28, 35, 40]);
    expect(prompts[0]!.messages.at(-1)!.role).toBe("user");
    expect(Object.values(pieces).toSorted()).toEqual([..."0123456789"]);
    store.crash();
    const other = await driveSession({ store: store.otherTab() });
    await other.send({ type: "continue", runId: "run", paused: true });
    expect(await other.send({ type: "probes" })).toEqual({ records, prompts, pieces });
  });

  it("are asked of no half-done step", async () => {
    const session = await driveSession();
    await session.send({ type: "start", runId: "run", config: table, paused: true });
    for (let phase = 0; phase < 4; phase++) await session.send({ type: "advance", unit: "phase" });
    expect((await session.send({ type: "probes" })).records).toHaveLength(1);
    await session.send({ type: "advance", unit: "phase" });
    expect((await session.send({ type: "probes" })).records.map(({ step }) => step)).toEqual([0, 1]);
    await session.send({ type: "reset" });
  });
});
