// A run is judged by what it is paid for, and a few problems are told as what they are.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { EvaluationRecord } from "../../../src/protocol/records.ts";
import { paidParts, paidText, paysForAnswers } from "../../../src/protocol/run/paidParts.ts";
import { diagnose } from "../../../src/rl/diagnosis/index.ts";
import type { RunHistory } from "../../../src/rl/verdict/history.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { evaluationRecord } from "./syntheticRuns.ts";

const SEVENS = { title: "Count of 7s", source: "export function reward({ text }) { return text.split('7').length - 1; }" };
const OF_SEVENS: RunConfigInput = { task: "digit-sum", customRewards: { sevens: SEVENS }, rewardWeights: { sumCloseness: 0 } };

const partsOf = (config: RunConfigInput) => paidParts(planRun({ config }).config, catalog);

/** A run of this configuration whose metrics go from one value to another, and whose accuracy falls. */
function fallingAccuracy(config: RunConfigInput, metrics: Readonly<Record<string, readonly [from: number, to: number]>>): RunHistory {
  const steps = Array.from({ length: 60 }, (_, i) => i + 1);
  const at = ([from, to]: readonly [number, number]) => steps.map((step) => from + ((to - from) * step) / 60);
  return {
    config: planRun({ config }).config,
    metric: (key) => (metrics[key] ? { steps, values: at(metrics[key]) } : { steps: [], values: [] }),
    evaluations: [0, 30, 60].map((step) => evaluationRecord(step, 120 - 2 * step, 128)),
    baselines: [],
    rewards: partsOf(config),
  };
}

describe("a run that is paid for something else than right answers", () => {
  const history = fallingAccuracy(OF_SEVENS, { reward: [0.2, 0.87], "rewards/sumCloseness/mean": [0.6, 0.1], success_rate: [0.5, 0] });

  it("is judged by its own reward, which is named", () => {
    const { verdict, sentence } = judgeRun(history);
    expect(verdict).toBe("improving");
    expect(sentence).toMatch(/^The reward “Count of 7s” rose from 0\.\d+ \(mean of steps 1 to \d+\) to 0\.\d+/);
    expect(sentence).toMatch(/Accuracy does not count here: it is not what the reward pays for\.$/);
  });

  it("hacks nothing", () => expect(diagnose(history, "improving").map(({ diagnosis }) => diagnosis.id)).not.toContain("reward-hacking"));

  it("is told no cause by answers that nobody wants: a reward that has come to its end is no near miss, nor a runaway", () => {
    const over = { reward: [1, 1], frac_reward_zero_std: [1, 1], success_rate: [0.06, 0.06], kl: [0.1, 2] } as const;
    const rise = {
      steps: Array.from({ length: 120 }, (_, i) => i + 1),
      values: Array.from({ length: 120 }, (_, i) => Math.min(1, i / 60)),
    };
    const flat = fallingAccuracy(OF_SEVENS, over);
    const metric: RunHistory["metric"] = (key) => (key === "reward" ? rise : flat.metric(key));
    const baselines = [{ kind: "random", meanReward: 0.1, accuracy: 0, interval: [0, 0.1], samples: 64 }] as const;
    const ids = (rewards: RunHistory["rewards"]) =>
      diagnose({ ...flat, metric, baselines, rewards: rewards ?? null }, "plateau").map(({ diagnosis }) => diagnosis.id);
    expect(ids(null)).toContain("near-misses");
    expect(ids(flat.rewards)).toEqual([]);
  });

  it("is falling where its own reward falls, and never solved by answers that nobody wants", () => {
    const falling = fallingAccuracy(OF_SEVENS, { reward: [0.87, 0.2], success_rate: [1, 1] });
    expect(judgeRun({ ...falling, evaluations: [evaluationRecord(0, 1, 128), evaluationRecord(60, 128, 128)] }).verdict).toBe("falling");
  });

  it("still has what was put beside the reward to be watched", () => {
    const watched = { ...OF_SEVENS, rewardRules: { trueAnswer: {} } };
    const { evidence } = diagnose(
      fallingAccuracy(watched, { reward: [0.2, 0.87], "rewards/trueAnswer/mean": [0.9, 0.1] }),
      "improving",
    ).find(({ diagnosis }) => diagnosis.id === "reward-hacking")!;
    expect(evidence).toContain("“Truly right”, which is measured but not rewarded, fell");
  });
});

describe("a hacked reward", () => {
  const remedyOf = (history: RunHistory) =>
    diagnose(history, "improving").find(({ diagnosis }) => diagnosis.id === "reward-hacking")?.remedy?.settings;

  it("has as its remedy weights under which right answers are paid", () => {
    const wrong: RunConfigInput = { task: "boxed-arithmetic", rewardWeights: { boxedAnswer: -1, boxedForm: 1 } };
    const history = fallingAccuracy(wrong, { reward: [0.7, 0.99], success_rate: [0.3, 0.01], "reward/right_mean": [0.01, 0] });
    expect(remedyOf(history)).toEqual({ rewardWeights: { boxedAnswer: 1, boxedForm: 1 } });
  });

  it("has as its remedy a weight for the part that was only watched", () => {
    const watched: RunConfigInput = { ...OF_SEVENS, rewardRules: { trueAnswer: {} }, rewardWeights: { sumCloseness: 0, trueAnswer: 0 } };
    const history = fallingAccuracy(watched, { reward: [0.2, 0.87], "rewards/trueAnswer/mean": [0.9, 0.1] });
    expect(remedyOf(history)).toEqual({ rewardWeights: { sumCloseness: 0, trueAnswer: 1 } });
  });
});

describe("what a run is paid for", () => {
  it.each([
    [{ task: "digit-sum" }, true, "“Closeness of the sum”"],
    [{ task: "digit-sum", rewardWeights: { sumCloseness: -1 } }, true, "“−Closeness of the sum”"],
    [OF_SEVENS, false, "“Count of 7s”"],
    [
      { ...OF_SEVENS, customRewards: { own: { source: "export const reward = ({ text, answer }) => Number(text.includes(answer));" } } },
      true,
      "“own”",
    ],
    [{ ...OF_SEVENS, rewardGates: { sumCloseness: -1 } }, true, "“Count of 7s”"],
    [{ task: "boxed-arithmetic", rewardWeights: { boxedAnswer: 0, boxedForm: 1 } }, false, "“Right form”"],
    [{ task: "boxed-arithmetic", rewardWeights: { boxedForm: 0.1 } }, true, "“Right answer + 0.1 × Right form”"],
    [{ task: "boxed-arithmetic", rewardWeights: { boxedAnswer: 0 }, rewardRules: { numericMatch: {} } }, true, "“Right number”"],
    [{ task: "search", rewardWeights: { em: 0 } }, false, "“"],
    [{ task: "search", rewardWeights: { em: 0, f1: 0.5 } }, true, "“0.5 × Token F1"],
  ] as readonly (readonly [RunConfigInput, boolean, string])[])("of %j: right answers %s, by the name %s", (config, isPaid, named) => {
    const parts = partsOf(config);
    expect([paysForAnswers(parts), paidText(parts)]).toEqual([isPaid, expect.stringContaining(named)]);
  });

  it("is taken to be right answers where nobody here knows the task", () => {
    const unknown = { ...planRun({ config: { task: "digit-sum" } }).config, task: "custom" };
    expect([paidParts(unknown, catalog), paysForAnswers(null), paidText(null)]).toEqual([null, true, ""]);
  });
});

describe("a reward that has come to the most that it pays", () => {
  /** Up to its top by a step and tied from there on, with so many prompts a step. */
  const risen = (top: number, last: number, promptsPerStep: number): RunHistory => {
    const steps = Array.from({ length: last }, (_, i) => i + 1);
    const series: Readonly<Record<string, readonly number[]>> = {
      reward: steps.map((step) => 3 * Math.min(1, step / top) - (step < top ? 0.05 * (step % 2) : 0)),
      frac_reward_zero_std: steps.map((step) => (step < top ? 0.1 : 1)),
      reward_std: steps.map((step) => (step < top ? 0.5 : 0)),
      kl: steps.map((step) => step / 100),
    };
    const { config, rewards } = fallingAccuracy({ ...OF_SEVENS, promptsPerStep, groupSize: 8 }, {});
    const metric: RunHistory["metric"] = (key) => ({ steps: series[key] ? steps : [], values: series[key] ?? [] });
    return { config, metric, evaluations: [], baselines: [], rewards: rewards ?? null };
  };

  it.each([
    [70, 97, 4],
    [8, 14, 8],
  ])("by step %i is over at step %i, and nothing is wrong with it", (top, last, prompts) => {
    const history = risen(top, last, prompts);
    const { verdict, sentence } = judgeRun(history);
    expect(verdict).toBe("plateau");
    expect(sentence).toMatch(/^The reward “Count of 7s” rose from .* to \S+ \(mean of steps/);
    expect(sentence).toContain(
      `It stands at its highest: in the last ${last - top + 1} steps all answers to a prompt earned the same, so nothing is left to learn from.`,
    );
    expect(diagnose(history, verdict)).toEqual([]);
  });

  it("goes on improving while few groups have been tied there", () => {
    for (const [top, last, prompts] of [
      [70, 76, 4],
      [8, 14, 2],
    ] as const)
      expect(judgeRun(risen(top, last, prompts)).verdict).toBe("improving");
  });
});

describe("few held-out problems, all answered right", () => {
  const ended = (evaluation: EvaluationRecord, successes: readonly number[] = []) =>
    judgeRun({
      metric: (key) => (key === "success_rate" ? { steps: successes.map((_, i) => i + 1), values: successes } : { steps: [], values: [] }),
      evaluations: [evaluationRecord(0, 1, evaluation.problems), evaluation],
      baselines: [],
    });

  it("are solved, with what that leaves open", () => {
    const { verdict, sentence } = ended(evaluationRecord(40, 12, 12));
    expect(verdict).toBe("solved");
    expect(sentence).toBe(
      "All 12 held-out problems are right at step 40, and 100 % of the sampled ones; that leaves 76 % to 100 % for other problems.",
    );
  });

  it("are not where one is wrong, or where sampled answers are", () => {
    expect(ended(evaluationRecord(40, 11, 12)).verdict).not.toBe("solved");
    expect(ended({ ...evaluationRecord(40, 12, 12), sampledAccuracy: 0.8 }).verdict).not.toBe("solved");
  });

  it("decide nothing by themselves where they are two, only beside solved training problems", () => {
    expect(ended(evaluationRecord(40, 2, 2)).verdict).not.toBe("solved");
    expect(ended(evaluationRecord(40, 2, 2), Array(20).fill(0.99)).verdict).toBe("solved");
  });
});
