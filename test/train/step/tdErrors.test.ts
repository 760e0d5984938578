// The critic's TD errors in the records of a step.
import { expect, it } from "vitest";
import { recordedStep, SMALL_TRANSFORMER } from "../../rl/recordedStep.ts";
import "../../support/kernels.ts";

const ppo = {
  ...SMALL_TRANSFORMER,
  algorithm: "ppo",
  klCoef: 0,
  whitenAdvantages: true,
  gaeLambda: 0.9,
  promptsPerStep: 2,
  groupSize: 3,
} as const;

it("are the reward and the next value, discounted, minus the value, whatever mixes and whitens the advantages", async () => {
  const discount = 0.95;
  const { groups } = await recordedStep({ ...ppo, discount }, 1);
  for (const { trajectories } of groups)
    for (const { channels, reward } of trajectories) {
      const { values, tdErrors, mask } = channels;
      const trained = mask.flatMap((isTrained, t) => (isTrained ? [t] : []));
      for (const [i, t] of trained.entries()) {
        const next = trained[i + 1];
        const expected = (next === undefined ? reward! : discount * values![next]!) - values![t]!;
        expect(tdErrors![t]).toBeCloseTo(expected, 6);
      }
    }
});

it("are none without a critic", async () => {
  const { groups } = await recordedStep({ algorithm: "grpo" }, 1);
  expect(groups[0]!.trajectories.every(({ channels }) => channels.tdErrors === undefined && channels.values === null)).toBe(true);
});
