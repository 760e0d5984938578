// Every way out of a run on every kind of run: what is written is whole, and what a run has no form of is said.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exporters } from "../../src/cli/exports/index.ts";
import { findRecorded, readConversations, readRecords } from "../../src/cli/folder/recordedRun.ts";
import { createRunFolder, type RunFolder } from "../../src/cli/folder/runFolder.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import { trajectoryLine } from "../../src/export/verifiersTrace.ts";
import { problemTask } from "../../src/library/problemTask.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { dialogueEnv } from "../../src/rl/envs/dialogue.ts";
import type { Env, Message } from "../../src/rl/types.ts";
import "../support/kernels.ts";

const SMALL = {
  steps: 2,
  promptsPerStep: 2,
  groupSize: 2,
  evalEvery: 1,
  evalProblems: 2,
  evalSamples: 1,
  backend: "wasm",
  threads: 1,
} as const;
const TINY = { model: "transformer", startFrom: "random", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16 } as const;

const ALL_WEIGHTS = /there are no adapters: all weights were trained \(loraRank: 0\)/;

/** A run of each kind, and the ways out that it has not. */
const RUNS: Readonly<Record<string, readonly [config: RunConfigInput, refused: Readonly<Record<string, RegExp>>]>> = {
  table: [
    { ...SMALL, task: "digit-sum", model: "tabular" },
    { hf: /logits table/, peft: /a logits table has no adapters/, trl: /logits table/, verl: /has no form in Python|logits table/ },
  ],
  sums: [{ ...SMALL, task: "boxed-arithmetic", minibatches: 2, innerEpochs: 3 }, { peft: ALL_WEIGHTS }],
  adapters: [{ ...SMALL, task: "boxed-arithmetic", loraRank: 2, klCoef: 0.1 }, { verl: /trains adapters \(loraRank 2\)/ }],
  tools: [
    { ...SMALL, task: "calculator", klCoef: 0, measureUpdate: false },
    { peft: ALL_WEIGHTS, verl: /several turns/ },
  ],
  agents: [
    { ...SMALL, task: "checked-arithmetic", klCoef: 0, measureUpdate: false },
    { peft: ALL_WEIGHTS, trl: /several agents/, verl: /several turns/ },
  ],
  critic: [
    { ...SMALL, ...TINY, task: "digit-sum", algorithm: "ppo", klEstimator: "k3" },
    { peft: ALL_WEIGHTS, trl: /has no text that a tokenizer/, verl: /has no form in Python/ },
  ],
};

const place = mkdtempSync(join(tmpdir(), "exports-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const progress = { tell() {}, doing() {}, at() {}, end() {} };
const exported = async (folder: RunFolder, name: string) => {
  const files = await exporters
    .find((each) => each.name === name)!
    .files({ folder, which: "last", progress, hasWeights: true, mostBytes: undefined });
  return new Map(files.map((file) => [file.name, new TextDecoder().decode(file.bytes)]));
};

it("every form that a refusal names is one of those there are", () => {
  const names = exporters.map(({ name }) => name);
  const refused = new Set(Object.values(RUNS).flatMap(([, refusals]) => Object.keys(refusals)));
  expect([...refused].filter((name) => !names.includes(name as never))).toEqual([]);
  for (const name of ["hf", "peft"]) expect(names).toContain(name);
});

describe.each(Object.entries(RUNS))("the run of kind %s", (kind, [config, refused]) => {
  let folder: RunFolder;
  beforeAll(async () => {
    await trainInFolder({
      folder: await createRunFolder(join(place, kind), { name: kind }),
      ...{ from: { config, parent: null }, host: createNodeHost(), trajectories: 8, progress },
      interrupt: { onAsked() {}, isAsked: false },
    });
    folder = await findRecorded(join(place, kind));
  });

  it.each(exporters.map(({ name }) => name))("is written out as %s, or is refused with the reason", async (name) => {
    if (refused[name]) return expect(exported(folder, name)).rejects.toThrow(refused[name]);
    const files = await exported(folder, name);
    expect(files.size).toBeGreaterThan(0);
    for (const [path, text] of files) expect(text.length, path).toBeGreaterThan(0);
  });

  it("gives verifiers its conversations as they were, token for token", async () => {
    const told = await readConversations(folder);
    const lines = (await exported(folder, "verifiers")).get("traces.jsonl")!.trim().split("\n");
    expect(lines).toHaveLength(told.length);
    for (const [i, text] of lines.entries()) {
      const { promptTokens, tokens, messages, sampled } = trajectoryLine.parse(told[i]);
      const { nodes } = JSON.parse(text).traces[0];
      expect(nodes.flatMap(({ token_ids }: { readonly token_ids: readonly number[] }) => token_ids)).toEqual([...promptTokens, ...tokens]);
      expect(nodes.map(({ message }: { readonly message: { readonly role: string } }) => message.role)).toEqual(
        messages.map(({ role }) => role),
      );
      const logprobs = nodes.flatMap((node: { readonly logprobs?: readonly number[] }) => node.logprobs ?? []);
      expect(logprobs).toHaveLength(sampled.filter((flag) => flag === 1).length);
    }
  });

  it("has every setting among MLflow's, and the folders without which get_run refuses a run", async () => {
    const paths = [...(await exported(folder, "mlflow")).keys()].map((path) => path.split("/").slice(2).join("/"));
    const { config: whole } = await readRecords(folder);
    for (const name of Object.keys(whole).filter((key) => typeof whole[key as keyof typeof whole] !== "object"))
      expect(paths).toContain(`params/${name}`);
    expect(paths).toEqual(expect.arrayContaining(["artifacts/config.json", "metrics/reward_std"]));
  });

  it("tells of each conversation the minibatch that it was in, epoch by epoch, and counts tokens as TRL does", async () => {
    const { minibatches = 1, innerEpochs = 1 } = config;
    const lines = (await readConversations(folder)) as readonly ReturnType<typeof trajectoryLine.parse>[];
    const first = lines.filter(({ step }) => step === 1) as readonly ((typeof lines)[number] & {
      readonly minibatches?: readonly number[];
    })[];
    expect(first).toHaveLength(4);
    if (minibatches === 1) for (const line of first) expect(line).not.toHaveProperty("minibatches");
    else
      for (let epoch = 0; epoch < innerEpochs; epoch++) expect(first.map((line) => line.minibatches?.[epoch]).sort()).toEqual([1, 1, 2, 2]);
    const tokens = first.reduce((sum, line) => sum + line.promptTokens.length + line.tokens.length, 0);
    expect((await readRecords(folder)).steps[0]?.metrics.num_tokens).toBe(tokens);
  });

  it("shows in its report what was said of different problems, at first and last", async () => {
    const html = (await exported(folder, "report")).get("report.html")!;
    const told = (await readConversations(folder)).map((line) => trajectoryLine.parse(line));
    const problems = (step: number) => new Set(told.filter((line) => line.step === step).map(({ exampleId }) => exampleId)).size;
    for (const step of [1, 2]) expect(html.split(`<div class="said">step ${step}:`).length - 1).toBe(problems(step));
    expect(html).toMatch(/What it said at first[\s\S]*What it said last/);
  });

  it("gives each problem of each evaluation as JSON lines", async () => {
    const lines = (await exported(folder, "jsonl"))
      .get("evaluations.jsonl")!
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual((await readRecords(folder)).evaluations);
    for (const { problems, outcomes } of lines) expect(outcomes.right_P).toHaveLength(problems);
  });

  it("has a row for every step in its table, with the evaluations", async () => {
    const { steps, evaluations } = await readRecords(folder);
    const [, ...rows] = (await exported(folder, "csv")).get("metrics.csv")!.trim().split("\n");
    expect(rows).toHaveLength(steps.length + 1);
    expect(evaluations.map(({ step }) => step)).toEqual([0, 1, 2]);
  });
});

describe("a conversation whose environment opens in its own way", () => {
  const OPENING: readonly Message[] = [
    { role: "system", content: "Say a number." },
    { role: "assistant", content: "Which one?" },
    { role: "user", content: "4" },
  ];
  const opened: Env = { start: () => ({ messages: OPENING }), step: () => null };
  it.each([
    ["reports nothing", () => opened],
    ["reports", () => dialogueEnv({ opening: { messages: OPENING }, respond: () => ({ messages: null }) })],
  ])("is written down and given to verifiers with that opening, where it %s", async (name, env) => {
    const task = problemTask({ id: "own", problems: ["1", "2"].map((question) => ({ question, answer: question })), env });
    const path = join(place, `own ${name}`);
    await trainInFolder({
      folder: await createRunFolder(path, { name }),
      ...{
        from: { config: { ...SMALL, ...TINY, task: "own", klEstimator: "k3", startFrom: "random" }, parent: null },
        trajectories: 8,
        progress,
      },
      host: createNodeHost({ additions: { tasks: [task] } }),
      interrupt: { onAsked() {}, isAsked: false },
    });
    const folder = await findRecorded(path);
    const [line] = (await readConversations(folder)).map((each) => trajectoryLine.parse(each));
    expect(line?.messages.slice(0, -1)).toEqual(OPENING);
    const [trace] = JSON.parse((await exported(folder, "verifiers")).get("traces.jsonl")!.split("\n")[0]!).traces;
    expect(trace.task.data.prompt).toEqual(OPENING);
    expect(trace.nodes.map(({ sampled }: { readonly sampled: boolean }) => sampled)).toEqual([false, false, false, true]);
  });
});
