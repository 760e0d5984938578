// A run whose model lies on a server: it trains as a run here does, and whatever goes wrong on the way, no gradient counts twice and none is lost.
import { expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { hash32 } from "../../../src/rl/data/problems.ts";
import { planRun, prepareRun } from "../../../src/train/run/start.ts";
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

async function train(options: TinkerServerOptions, input: RunConfigInput = config) {
  const server = new TinkerServer(options);
  const run = await prepareRun("run", planRun({ config: input }), hostOf(server), { onPreparing() {}, onLost() {}, pause: async () => {} });
  const records = [];
  for (let step = 0; step < (input.steps ?? 0); step++) {
    const phases = run.trainer.takeStep(() => {});
    let next = await phases.next();
    while (!next.done) next = await phases.next();
    const { step_time: _, ...metrics } = next.value.metrics;
    records.push(Object.fromEntries(Object.entries(metrics).filter(([name]) => !/^(time|perf)\//.test(name))));
  }
  const state = await run.model.save();
  const weights = server.saved.get((state as { readonly path: string }).path)!;
  run.model.dispose();
  server.close();
  return { server, records, weights };
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
