// What is said of a first step, by what its answers earn and how they end.
import { expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import type { TriedStep } from "../../../src/protocol/custom/tried.ts";
import { judgeFirstStep } from "../../../src/rl/diagnosis/firstStep.ts";

const config = runConfigSchema.parse({ promptsPerStep: 8, groupSize: 8, maxCompletionTokens: 24 });
const seconds = { preparation: 1, evaluation: 1, step: 1 };
const look = ({ earning, cut, tied, reward = earning / 64 }: { earning: number; cut: number; tied: number; reward?: number }) => {
  const metrics = { reward, "completions/clipped_ratio": cut / 64, frac_reward_zero_std: tied / 8 };
  const tried: TriedStep = {
    ...{ prompts: 8, groupSize: 8, isWhole: true, scored: 64, earning, metrics, examples: [], seconds },
  };
  const { says, findings } = judgeFirstStep(tried, config);
  return { says, ids: findings.map(({ id }) => id), remedies: findings.map(({ remedy }) => remedy?.settings ?? null) };
};

it("counts what earns, what is cut off, and which groups can teach", () => {
  expect(look({ earning: 0, cut: 60, tied: 8 }).says).toBe(
    "0 of 64 answers earn anything, 94 % are cut off at 24 tokens. 0 of 8 groups have better and worse answers to learn from.",
  );
  expect(look({ earning: 40, cut: 0, tied: 1 }).says).toBe(
    "40 of 64 answers earn something, none is cut off. 7 of 8 groups have better and worse answers to learn from.",
  );
});

it.each([
  ["nothing earned and nearly all cut off", { earning: 0, cut: 60, tied: 8 }, ["cut-off", "nothing-earned"], { maxCompletionTokens: 48 }],
  ["nothing earned by whole answers", { earning: 0, cut: 2, tied: 8 }, ["nothing-earned"], null],
  ["every answer at the top", { earning: 64, cut: 0, tied: 8 }, ["all-earned"], null],
  ["a rare success", { earning: 2, cut: 0, tied: 6 }, ["tied-groups"], { groupSize: 16 }],
  ["answers that differ, cut off or not", { earning: 30, cut: 64, tied: 0 }, [], undefined],
  ["penalties alone, which differ", { earning: 0, cut: 0, tied: 0, reward: -0.4 }, [], undefined],
  ["all earn, unlike each other", { earning: 64, cut: 0, tied: 0 }, [], undefined],
] as const)("names the cause of %s", (_, given, ids, remedy) => {
  const found = look(given);
  expect(found.ids).toEqual(ids);
  expect(found.remedies[0]).toEqual(remedy);
});

it("names a reward that takes its arguments by position first", () => {
  const own = runConfigSchema.parse({ customRewards: { mine: { source: "export function reward(text, answer) { return 0; }" } } });
  const metrics = { reward: 0, "completions/clipped_ratio": 0, frac_reward_zero_std: 1 };
  const tried = { prompts: 1, groupSize: 2, isWhole: true, scored: 2, earning: 0, metrics, examples: [], seconds };
  const { findings } = judgeFirstStep(tried, own);
  expect(findings.map(({ id }) => id)).toEqual(["wrong-call", "nothing-earned"]);
});

it("tells the share of mixed groups now and at twice the size", () => {
  const tried = { prompts: 8, groupSize: 2, isWhole: true, scored: 16, earning: 1, examples: [], seconds };
  const metrics = { reward: 1 / 16, "completions/clipped_ratio": 0, frac_reward_zero_std: 7 / 8 };
  const [tied] = judgeFirstStep({ ...tried, metrics }, { ...config, groupSize: 2 }).findings;
  // 1 - p^G - (1 - p)^G at p = 1/16.
  expect(tied!.evidence).toContain("12 % of the groups of 2");
  expect(tied!.evidence).toContain("of groups of 4, 23 %");
});
