// What a plan says before anything is trained.
import { expect, it } from "vitest";
import { contentsIn } from "../../src/cli/custom/contents.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import type { ConfigFile } from "../../src/cli/training/configFile.ts";
import { dryRun } from "../../src/cli/training/dryRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { estimateRun } from "../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../src/train/start/plan.ts";

const input = {
  ...{ task: "boxed-arithmetic", algorithm: "grpo", startFrom: "random", backend: "wasm", threads: 1, hiddenSize: 16, layers: 1 },
  ...{ heads: 2, kvHeads: 2, intermediateSize: 16, promptsPerStep: 1, groupSize: 2, steps: 2, maxCompletionTokens: 8, evalSamples: 1 },
} as const satisfies RunConfigInput;
const planned = (evalProblems: number, samples = false, own: RunConfigInput = {}) => {
  const file: ConfigFile = {
    ...{
      path: "few.yaml",
      name: "few",
      input: { ...input, evalProblems, ...own },
      loaded: null,
      contents: contentsIn(["."]),
      whereIs: () => null,
    },
  };
  return dryRun(file, { out: "runs/few", prices: null, samples }, createNodeHost());
};

it.each([
  [1, ["1 held-out problem decides nothing: where it is right, the share of all such problems may be 21 to 100 %"]],
  [2, ["2 held-out problems decide nothing: with half of them right, the share of all such problems may be 9 to 91 %"]],
  [64, []],
] as const)("%i held-out problems are told to decide nothing where they do", async (evalProblems, notices) => {
  const { facts, text } = await planned(evalProblems);
  expect(facts).toMatchObject({ notices, memory: { problem: null } });
  expect(Array.from(text.matchAll(/^note +(.+)$/gm), ([, note]) => note)).toEqual(notices);
  const { notice } = await estimateRun(planRun({ config: { ...input, evalProblems } }), createNodeHost());
  expect(notice).toBe(notices[0] ?? null);
});

it("samples the first step where that is asked for, and tells what its answers earn", async () => {
  const { facts, text } = await planned(64, true);
  expect(facts).toMatchObject({
    sample: { prompts: 1, groupSize: 2, earning: 0, findings: [{ id: "cut-off" }, { id: "nothing-earned" }] },
  });
  expect(text).toMatch(/^sampled +0 of 2 answers earn anything, 100 % are cut off at 8 tokens\./m);
});

it("plans a task that stands in the configuration beside its own reward", async () => {
  const own: RunConfigInput = {
    task: "mine",
    customTasks: { mine: { problems: ["a", "b", "c"].map((question) => ({ question, answer: "" })) } },
    customRewards: { long: { source: "export const reward = ({ text }) => text.length;" } },
  };
  const { facts } = await planned(1, false, own);
  expect(facts).toMatchObject({ config: { task: "mine" }, memory: { problem: null } });
});
