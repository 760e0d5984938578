// Charts name what they draw by the keys of metrics: a key that no run measures would be a chart that stays empty for ever.
import { expect, it } from "vitest";
import { trainRun } from "../../../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { errorText } from "../../../../src/protocol/problems.ts";
import { algorithms } from "../../../../src/rl/algorithms/index.ts";
import { CHARTS } from "../../../../src/ui/kit/charts/index.ts";
import { createNodeHost } from "../../../support/nodeHost.ts";

const SMALL = {
  steps: 1,
  evalEvery: 0,
  promptsPerStep: 1,
  groupSize: 2,
  maxCompletionTokens: 24,
  evalProblems: 1,
  evalSamples: 1,
} as const;
const NETWORK = { hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16 } as const;

/** What only a server, a second model, a browser's own readings, or files and logs of other programs can report. */
const FROM_ELSEWHERE = ["judge/", "resources/", "sampling/mismatch_", "sampling/log_ratio/"];

/** Tasks whose environments report turns, calls, errors, costs, agents and games. */
const REPORTING = ["calculator", "search", "router", "checked-arithmetic", "tic-tac-toe"] as const;

it("are all of metrics that runs measure", async () => {
  const table = algorithms
    .filter(({ id }) => id !== "ppo")
    .map(({ id }): RunConfigInput => ({ ...SMALL, task: "digit-sum", model: "tabular", algorithm: id }));
  // A critic on the policy's own trunk and every part of the loss switched on, so that the gradient has all its parts; and one
  // whose returns differ by the KL that its reward pays, so that there is a variance to explain.
  const critic = { ...SMALL, ...NETWORK, task: "digit-sum", model: "transformer", algorithm: "ppo" } as const;
  const parts = { criticTrunk: "shared", klCoef: 0.1, entropyCoef: 0.01, klPlacement: "loss", splitGradNormEvery: 1 } as const;
  const conversations = REPORTING.map((task): RunConfigInput => ({ ...SMALL, ...NETWORK, task, model: "transformer", algorithm: "grpo" }));
  const measured = new Set<string>();
  const refused: string[] = [];
  for (const config of [...table, critic, { ...critic, ...parts }, ...conversations])
    try {
      const { steps } = await trainRun(config, createNodeHost());
      for (const { metrics } of steps) for (const key of Object.keys(metrics)) measured.add(key);
    } catch (error) {
      refused.push(`${config.task} ${config.algorithm}: ${errorText(error)}`);
    }
  const drawn = CHARTS.filter(({ source }) => source === "steps").flatMap(({ metrics }) => metrics.map(({ key }) => key));
  const unmeasured = drawn.filter((key) => !measured.has(key) && !FROM_ELSEWHERE.some((room) => key.startsWith(room)));
  expect({ unmeasured, refused }).toEqual({ unmeasured: [], refused: [] });
});
