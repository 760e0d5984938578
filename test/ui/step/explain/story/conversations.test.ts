// Explained tokens of conversations: turns and agents that are credited by themselves have their sums too.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../../src/protocol/config.ts";
import { advantageFormula, sumStart } from "../../../../../src/ui/step/explain/formulas/advantageFormula.ts";
import { pushSentence } from "../../../../../src/ui/step/explain/story/reasons.ts";
import { stepStory, tokenStory } from "../../../../../src/ui/step/explain/story/story.ts";
import { recordedStep } from "../../../../rl/recordedStep.ts";
import "../../../../support/kernels.ts";

const small: RunConfigInput = { promptsPerStep: 1, groupSize: 5, klCoef: 0, backend: "wasm", threads: 1, learningRate: 1e-3 };
const RUNS: readonly (readonly [string, RunConfigInput])[] = [
  ["turns of a game", { task: "tic-tac-toe", algorithm: "grpo", credit: "turn" }],
  ["turns of a game under RLOO", { task: "tic-tac-toe", algorithm: "rloo", credit: "turn", turnDiscount: 0.9 }],
  ["two agents", { task: "checked-arithmetic", algorithm: "grpo", agentRewards: "own", credit: "turn" }],
  ["two agents that share the reward", { task: "checked-arithmetic", algorithm: "grpo" }],
  ["a game under PPO", { task: "tic-tac-toe", algorithm: "ppo" }],
];

describe.each(RUNS)("an update of %s", (_, config) => {
  it("has a sum with its numbers for the advantage of every trained token", async () => {
    const story = stepStory(await recordedStep({ ...small, ...config }, 1));
    let compared = 0;
    for (const { promptIndex, trajectories } of story.step.groups)
      for (const [member, { tokens, reward }] of trajectories.entries())
        for (const t of tokens.keys()) {
          const token = tokenStory(story, promptIndex, member, t)!;
          const { facts, terms, criticReturn } = token;
          if (!facts.trained || reward === null) continue;
          const formula = advantageFormula(token)!;
          // The result has as many decimals as its terms come to by hand, and is the advantage as far as these go.
          const [, told = "", decimals = ""] = / which is ([−+]?\d+(?:\.(\d+))?(?:e[−-]?\d+)?)\.$/.exec(formula.spoken) ?? [];
          const shown = Number(told.replaceAll("−", "-"));
          expect(Math.abs(shown - facts.advantage!), formula.spoken).toBeLessThanOrEqual(
            told.includes("e") ? 0.01 * Math.abs(shown) : 0.5001 * 10 ** -decimals.length,
          );
          const { from, hasBaseline, fade } = sumStart(token, terms!);
          const raw =
            story.config.advantageBaseline === "critic"
              ? criticReturn! - facts.criticValue!
              : ((from - (hasBaseline ? terms!.baseline : 0)) / terms!.scale) * fade;
          expect((raw - terms!.shift) / terms!.spread).toBeCloseTo(facts.advantage!, 5);
          if (facts.advantage !== 0) {
            compared += 1;
            if (config.credit === "turn") expect(pushSentence(token)).toContain("turn and those after it earned, ");
          }
        }
    expect(compared).toBeGreaterThan(0);
  }, 60_000);
});
