// Dynamic sampling (DAPO): groups whose rewards are all equal are replaced by groups of further problems.
// The problems are numbered and their rewards laid down, so that it is known which groups are flat.
import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { TabularModel } from "../../../src/model/tabularModel.ts";
import { Random } from "../../../src/rl/random.ts";
import type { DataLoader, RewardModel } from "../../../src/rl/types.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";

const GROUP = 4;
const { config: base, instance } = planRun({
  config: { task: "digit-sum", algorithm: "grpo", groupSize: GROUP, promptsPerStep: 3, klCoef: 0, learningRate: 0.1, optimizer: "sgd" },
});

/** Problems 0, 1, 2, ... and how many were asked for at a time. */
function numberedProblems() {
  const asked: number[] = [];
  let position = 0;
  const loader: DataLoader = {
    next(count) {
      asked.push(count);
      return Array.from({ length: count }, () => ({ ...instance.evaluation(1)[0]!, id: String(position++) }));
    },
    state: () => position,
    restore: (state) => {
      position = state;
    },
  };
  return { loader, asked };
}

/** The members of a group get 0, 1, 2, ... in turn; those of a flat problem the same each, those of an unscorable one nothing. */
function laidDownRewards(isFlat: (problem: number) => boolean, isUnscorable: (problem: number) => boolean): RewardModel {
  const seen = new Map<string, number>();
  return {
    scoreBatch: (rollouts) =>
      rollouts.map(({ example: { id } }) => {
        const member = seen.get(id) ?? 0;
        seen.set(id, member + 1);
        const problem = Number(id);
        if (isUnscorable(problem)) return { total: null, parts: [], success: false };
        return { total: isFlat(problem) ? 0.5 : member, parts: [], success: false };
      }),
  };
}

interface Asked {
  readonly isFlat: (problem: number) => boolean;
  readonly isUnscorable?: (problem: number) => boolean;
  readonly rounds?: number;
  readonly dynamicSampling?: boolean;
}

/** One step: the problems it trains on, how many were sampled at a time, its metrics and what it did to the table. */
async function takeStep({ isFlat, isUnscorable = () => false, rounds = 3, dynamicSampling = true }: Asked) {
  const { loader, asked } = numberedProblems();
  const model = new TabularModel(4, 10);
  const trainer = new ReinforcementTrainer({
    config: { ...base, dynamicSampling, dynamicSamplingMax: rounds },
    model,
    critic: null,
    task: instance,
    rewards: laidDownRewards(isFlat, isUnscorable),
    renderer: digitsRenderer,
    loader,
    random: new Random(0),
    now: () => 0,
  });
  const phases = trainer.takeStep(() => {});
  let trained: readonly string[] = [];
  let totals: readonly (number | null)[] = [];
  let result = await phases.next();
  while (!result.done) {
    const { sampled } = result.value;
    if (sampled?.phase === "update") {
      trained = sampled.groups.map(({ example }) => example.id);
      totals = sampled.rewards_P_G.flat().map(({ total }) => total);
    }
    result = await phases.next();
  }
  return { trained, totals, asked, metrics: result.value.metrics, logits: (await model.save()).policy.values };
}

const rising = [0, 1, 2, 3];
const level = [0.5, 0.5, 0.5, 0.5];

describe("refilling flat groups", () => {
  it("samples nothing more where no group is flat", async () => {
    const { trained, asked, metrics } = await takeStep({ isFlat: () => false });
    expect(trained).toEqual(["0", "1", "2"]);
    expect(asked).toEqual([3]);
    expect(metrics["sampling/extra_groups"]).toBe(0);
  });

  it("asks for as many further problems as groups are flat, until none is, and keeps each group's own rewards", async () => {
    // 1 and 2 are flat at first; of 3 and 4, sampled in their place, 4 is; 5 is not.
    const { trained, totals, asked, metrics } = await takeStep({ isFlat: (problem) => [1, 2, 4].includes(problem) });
    expect(asked).toEqual([3, 2, 1]);
    expect(trained).toEqual(["0", "3", "5"]);
    expect(totals).toEqual([...rising, ...rising, ...rising]);
    expect(metrics["sampling/extra_groups"]).toBe(3);
    expect(metrics.frac_reward_zero_std).toBe(0);
  });

  it("stops at the limit of rounds and keeps flat groups where there is nothing better", async () => {
    const { trained, totals, asked, metrics } = await takeStep({ isFlat: (problem) => problem !== 4, rounds: 2 });
    expect(asked).toEqual([3, 3]);
    expect(trained).toEqual(["4", "1", "2"]);
    expect(totals).toEqual([...rising, ...level, ...level]);
    expect(metrics["sampling/extra_groups"]).toBe(3);
    expect(metrics.frac_reward_zero_std).toBeCloseTo(2 / 3, 12);
  });

  it("moves nothing where every group stays flat", async () => {
    const { trained, asked, metrics, logits } = await takeStep({ isFlat: () => true });
    expect(asked).toEqual([3, 3, 3]);
    expect(trained).toHaveLength(3);
    expect(metrics["sampling/extra_groups"]).toBe(6);
    expect(metrics.grad_norm).toBe(0);
    expect(logits.every((logit) => logit === 0)).toBe(true);
  });

  it("takes a group that nobody could score for a flat one", async () => {
    const { trained, asked } = await takeStep({ isFlat: () => false, isUnscorable: (problem) => problem === 1 });
    expect(asked).toEqual([3, 1]);
    expect(trained).toEqual(["0", "2", "3"]);
  });

  it.each([
    ["a limit of one round", { rounds: 1 }],
    ["dynamic sampling off", { dynamicSampling: false }],
  ])("does not refill with %s", async (_, over) => {
    const { trained, asked } = await takeStep({ isFlat: (problem) => problem === 1, ...over });
    expect(asked).toEqual([3]);
    expect(trained).toEqual(["0", "1", "2"]);
  });
});
