// A run whose model lies on a server: it trains as a run here does, and whatever goes wrong on the way, no gradient counts twice and none is lost.
import { expect, it } from "vitest";
import type { KnownLoss } from "../../../src/model/model.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { hash32 } from "../../../src/rl/data/problems.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { isLong } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { type Fault, TinkerServer, type TinkerServerOptions } from "../../support/tinkerServer.ts";

const config: RunConfigInput = {
  ...{ task: "boxed-arithmetic", algorithm: "grpo", checkpoint: "base", maxCompletionTokens: 12, backend: "tinker", loraRank: 2 },
  ...{ groupSize: 4, promptsPerStep: 2, klCoef: 0.05, steps: 6, evalEvery: 0, evalProblems: 4, learningRate: 0.01, innerEpochs: 2 },
};

/** A host whose time passes only where somebody waits. */
function hostOf(server: TinkerServer) {
  let now = 0;
  return createNodeHost({
    openServer: async () => server,
    now: () => now,
    sleep: async (ms) => {
      // Heartbeats wait long; nothing else does.
      if (ms >= 10_000) return new Promise(() => {});
      now += ms;
    },
  });
}

async function trainAnew(options: TinkerServerOptions, input: RunConfigInput) {
  const server = new TinkerServer(options);
  const run = await prepareRun("run", planRun({ config: input }), hostOf(server), { onPreparing() {}, onLost() {}, pause: async () => {} });
  const records = [];
  for (let step = 0; step < (input.steps ?? 0); step++) {
    const phases = run.trainer.takeStep(() => {});
    let next = await phases.next();
    while (!next.done) next = await phases.next();
    records.push(Object.fromEntries(Object.entries(next.value.metrics).filter(([name]) => !isTimedMetric(name))));
  }
  const state = await run.model.save();
  const weights = server.saved.get((state as { readonly path: string }).path)!;
  run.model.dispose();
  server.close();
  return { server, records, weights };
}

const trained = new Map<string, ReturnType<typeof trainAnew>>();

/** A run on a server. One without faults, which others are held against, is trained once. */
function train(options: TinkerServerOptions, input: RunConfigInput = config): ReturnType<typeof trainAnew> {
  if (options.faults) return trainAnew(options, input);
  const key = JSON.stringify([Object.entries(options).filter(([, is]) => is), input]);
  const run = trained.get(key) ?? trainAnew(options, input);
  trained.set(key, run);
  return run;
}

it("is trained as the same adapters are here, and tells what a server tells", async () => {
  const { records, weights } = await train({});
  expect(weights.optimizerSteps).toBe(12);
  for (const metrics of records) {
    expect(metrics).not.toHaveProperty("entropy");
    expect(metrics).not.toHaveProperty("grad_norm");
    expect(metrics["server/norm"]).toBeGreaterThan(0);
    expect(metrics.kl).toBeGreaterThanOrEqual(0);
    // Sampled and scored on the same weights: the sampler got those of the trainer.
    expect(metrics["sampling/sampling_logp_difference/max"]).toBeLessThan(1e-5);
  }
});

/** Whether two runs tell the same but for rounding. */
function expectAlike(one: readonly object[], other: readonly object[]): void {
  expect(one).toHaveLength(other.length);
  for (const [step, metrics] of one.entries())
    for (const [name, value] of Object.entries(metrics) as [string, number][]) {
      // These measure rounding itself.
      if (name.startsWith("sampling/")) continue;
      const known = (other[step] as Readonly<Record<string, number>>)[name]!;
      expect(Math.abs(value - known), `${name} of step ${step + 1}: ${value} and ${known}`).toBeLessThanOrEqual(
        2e-4 * Math.max(1e-2, Math.abs(known)),
      );
    }
}

const often = { innerEpochs: 2, minibatches: 2, steps: 2, klCoef: 0, learningRate: 0.001 } as const;

it.each([
  ["ppo", { ...often, surrogate: "clip", clipLow: 0.005, clipHigh: 0.01 }],
  ["cispo", { ...often, surrogate: "cispo", cispoMax: 1.01 }],
  ["cross_entropy", { ...often, surrogate: "reinforce" }],
  ["ppo", { ...often, aggregation: "constant-length", klCoef: 0.05, klPlacement: "reward" }],
] as const)("takes the steps of its own objective by the server's %s, in one pass", async (name, settings) => {
  const input = { ...config, ...settings };
  const [own, known] = [await train({}, input), await train({}, { ...input, serverLoss: "server" })];
  expectAlike(known.records, own.records);
  const asked = (server: TinkerServer, path: string) => server.requests.filter((request) => request.path === path);
  expect(asked(known.server, "forward").length).toBe(asked(own.server, "forward").length - own.weights.optimizerSteps);
  const losses = asked(known.server, "forward_backward").map(
    ({ body }) => (body as { forward_backward_input: { loss_fn: string } }).forward_backward_input.loss_fn,
  );
  // The first request is the trial of how the server adds up.
  expect(losses[0]).toBe("cross_entropy");
  expect(new Set(losses.slice(1))).toEqual(new Set([name]));
});

it.each([
  ["its own objective's steps", "own", "importance_sampling"],
  ["the steps of its own objective by the server's ppo", "server", "ppo"],
] as const)("takes %s where the server divides a sequence's loss by its weights", async (_, serverLoss, name) => {
  const input = { ...config, ...often, surrogate: "clip", serverLoss } as const;
  const [summed, divided] = [await train({}, input), await train({ divides: true }, input)];
  expectAlike(divided.records, summed.records);
  const losses = divided.server.requests
    .filter(({ path }) => path === "forward_backward")
    .map(({ body }) => (body as { forward_backward_input: { loss_fn: string } }).forward_backward_input.loss_fn);
  expect(new Set(losses.slice(1))).toEqual(new Set([name]));
});

it("takes its own objective's step where the loss of that name is another", async () => {
  const batch = packGroups(
    [
      {
        promptTokens: [5, 6, 7],
        completions: [
          [8, 9, 10],
          [11, 12, 13],
        ],
      },
    ],
    1,
  );
  const signals = { onPreparing() {}, onLost() {}, pause: async () => {} };
  const after = async (known: KnownLoss | null) => {
    const server = new TinkerServer();
    const { model } = await prepareRun("run", planRun({ config }), hostOf(server), signals);
    await model.update({
      ...{ batch, exactKlCoef: 0, microBatchTokens: 2048, ...(known ? { known } : {}) },
      objective: ({ logprobs_K }) => ({ logprobs_K: logprobs_K.map(() => -1), entropies_K: null, values_K: null }),
      optimizer: { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 0 },
    });
    const state = (await model.save()) as { readonly path: string };
    const [weights, given] = [server.saved.get(state.path)!, server.requests.filter(({ path }) => path === "unload_model").length];
    model.dispose();
    server.close();
    return { weights, given };
  };
  const ones_K = new Float32Array(6).fill(1);
  const own = await after(null);
  // Whatever the log-probs are by now, its bounds let no ratio through.
  const other = await after({ name: "ppo", clip: [0, 1e-9], slope: () => 0, old_K: ones_K, advantages_K: ones_K });
  expect(other.weights).toEqual(own.weights);
  // The model of the trial was given up, and the one that held the other gradient.
  expect([own.given, other.given]).toEqual([1, 2]);
});

it.each([
  ["adds up losses", false],
  ["divides them", true],
])("sends and reads protobuf where the server that %s asks for it, and comes to the same bits", async (_, divides) => {
  const [json, bytes] = [await train({ divides }), await train({ divides, wantsBytes: true })];
  expect(bytes.records).toEqual(json.records);
  expect(bytes.weights).toEqual(json.weights);
  // The first of each kind was JSON, which the server refused.
  const passes = (server: TinkerServer) => server.requests.filter(({ path }) => path.startsWith("forward"));
  expect(passes(bytes.server)).toHaveLength(passes(json.server).length + 1);
  expect(bytes.server.requests.filter(({ takesBytes }) => takesBytes).length).toBeGreaterThan(passes(json.server).length);
});

it("scores the reference as a prompt of the base, which needs no second model", async () => {
  const [model, prompt] = [await train({}), await train({}, { ...config, serverReference: "prompt" })];
  expectAlike(prompt.records, model.records);
  const made = (server: TinkerServer) => server.requests.filter(({ path }) => path === "create_model").length;
  // One of each is the trial's.
  expect([made(model.server), made(prompt.server)]).toEqual([3, 2]);
});

const KINDS: readonly Fault[] = ["lost request", "lost answer", "restart", "forget", 408, 429, 500, 503];

/** Strikes one request in `every` by lot. */
const strikes = (seed: number, every: number, kinds: readonly Fault[]) => (_: unknown, n: number) => {
  const lot = hash32(`${seed}/${n}`);
  return lot % every === 0 ? kinds[Math.floor(lot / every) % kinds.length]! : null;
};

for (const [name, countsOnce, kinds] of [
  ["counts a second try once", true, [...KINDS, "doubled"]],
  ["knows nothing of second tries", false, KINDS],
] as const)
  it(`comes to the same bits through faults of every kind on a server that ${name}`, { timeout: 600_000 }, async () => {
    const input = { ...config, steps: isLong ? 40 : 6 };
    const quiet = await train({ countsOnce }, input);
    let faults = 0;
    for (let seed = 0; faults < (isLong ? 200 : 25); seed++) {
      // The first requests are those of the start, which hears what is wrong and can be tried again.
      const strike = strikes(seed, 7, kinds);
      const struck = await train({ countsOnce, faults: (request, n) => (n < 20 ? null : strike(request, n)) }, input);
      faults += struck.server.struck.length;
      expect(new Set(struck.server.struck).size).toBeGreaterThan(3);
      expect(struck.records).toEqual(quiet.records);
      expect(struck.weights).toEqual(quiet.weights);
    }
  });
