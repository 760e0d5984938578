// A log of which only some numbers are known, as another program writes it: what is not there is not 0.
import { describe, expect, it } from "vitest";
import type { RunEvidence } from "../../../src/rl/diagnosis/diagnosis.ts";
import { diagnose, diagnoses } from "../../../src/rl/diagnosis/index.ts";

/** Six steps of TRL's names, each metric the same at all of them. */
function logOf(metrics: Readonly<Record<string, number>>, config: RunEvidence["config"] = {}): RunEvidence {
  const steps = [1, 2, 3, 4, 5, 6];
  const metric = (key: string) => (key in metrics ? { steps, values: steps.map(() => metrics[key]!) } : { steps: [], values: [] });
  return { config, metric, evaluations: [], baselines: [] };
}

const SIZES = { promptsPerStep: 8, groupSize: 8, maxCompletionTokens: 24 } as const;
const idsOf = (run: RunEvidence) => diagnose(run, "no evidence yet").map(({ diagnosis }) => diagnosis.id);

describe("a log of another program", () => {
  it("has nothing named where it says nothing, whatever is asked of it", () => {
    for (const { find } of diagnoses) expect(find(logOf({}))).toBeNull();
    for (const { find } of diagnoses) expect(find(logOf({ reward: 0.5, reward_std: 0.3 }, SIZES))).toBeNull();
  });

  it("has answers that are cut off named by its clipped ratio and its tied groups", () => {
    const log = logOf({ reward: 0, reward_std: 0, frac_reward_zero_std: 1, "completions/clipped_ratio": 0.91 }, SIZES);
    const [first] = diagnose(log, "no evidence yet");
    expect(first?.diagnosis.id).toBe("cut-off");
    expect(first?.evidence).toBe("In all 6 steps 91 % of the answers ended at the limit of 24 tokens for one turn: the mean reward was 0.");
    expect(first?.remedy?.settings).toEqual({ maxCompletionTokens: 48 });
  });

  it("has an engine that samples from other weights named by the difference that TRL logs", () => {
    const log = { reward: 0.5, "sampling/sampling_logp_difference/mean": 0.2 };
    expect(idsOf(logOf(log))).toEqual(["sampler"]);
    expect(idsOf(logOf({ ...log, "sampling/sampling_logp_difference/mean": 0.01 }))).toEqual([]);
  });

  it("has a KL weight named that holds the policy where it is, and no weight that was not told", () => {
    const log = { reward: 0.5, kl: 0.02, "advantages/std": 0.9 };
    expect(idsOf(logOf(log, { ...SIZES, klCoef: 10 }))).toEqual(["kl-outweighs"]);
    expect(idsOf(logOf(log, { ...SIZES, klCoef: 0.04 }))).toEqual([]);
    expect(idsOf(logOf(log, SIZES))).toEqual([]);
  });
});

describe("what a diagnosis needs", () => {
  const logs: Readonly<Record<string, readonly [Readonly<Record<string, number>>, RunEvidence["config"]]>> = {
    "cut-off": [{ reward: 0, reward_std: 0, frac_reward_zero_std: 1, "completions/clipped_ratio": 0.91 }, SIZES],
    sampler: [{ "sampling/sampling_logp_difference/mean": 0.2 }, {}],
    "kl-outweighs": [
      { reward: 0.5, kl: 0.02, "advantages/std": 0.9 },
      { ...SIZES, klCoef: 10 },
    ],
    "tied-groups": [{ reward: 0.03, frac_reward_zero_std: 0.94 }, SIZES],
    "learning-rate-too-high": [{ "update/kl": 0.5 }, {}],
    "nothing-earned": [{ reward: 0, reward_std: 0, frac_reward_zero_std: 1, "completions/clipped_ratio": 0.6 }, SIZES],
  };

  it("is all that it needs, and nothing is named where any of it is missing", () => {
    for (const [id, [metrics, config]] of Object.entries(logs)) {
      const { find, needs } = diagnoses.find((each) => each.id === id)!;
      expect(find(logOf(metrics, config)), id).not.toBeNull();
      const without = (name: string, all: object) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name));
      for (const key of needs.metrics) expect(find(logOf(without(key, metrics), config)), `${id} without ${key}`).toBeNull();
      for (const key of needs.settings ?? []) expect(find(logOf(metrics, without(key, config))), `${id} without ${key}`).toBeNull();
    }
  });
});

describe("groups that are tied", () => {
  const pairs = (right: number, tied: number) =>
    logOf(
      {
        reward: right,
        success_rate: right,
        frac_reward_zero_std: tied,
        "groups/all_right": right ** 2,
        "groups/all_wrong": (1 - right) ** 2,
      },
      { ...SIZES, promptsPerStep: 32, groupSize: 2 },
    );

  it("are told with the share that can be expected at the run's own pass rate, now and at twice the size", () => {
    const [first] = diagnose(pairs(0.03, 0.03 ** 2 + 0.97 ** 2), "no evidence yet");
    expect(first?.diagnosis.id).toBe("tied-groups");
    expect(first?.evidence).toContain(
      "With 3 % of the answers right, 6 % of groups of 2 can be expected to differ, and 11 % of groups of 4.",
    );
    expect(first?.remedy?.settings).toEqual({ groupSize: 16 });
  });

  it("are told so of any reward of 0 and 1, and without a pass rate of others", () => {
    // 32 pairs of which 3 % earn `paid`, with the standard deviation over all of them.
    const earning = (paid: number) =>
      logOf(
        { reward: 0.03 * paid, reward_std: paid * Math.sqrt((0.03 * 0.97 * 64) / 63), frac_reward_zero_std: 0.94 },
        { ...SIZES, promptsPerStep: 32, groupSize: 2 },
      );
    expect(diagnose(earning(1), "no evidence yet")[0]?.evidence).toContain(
      "With 3 % of the answers right, 6 % of groups of 2 can be expected to differ, and 11 % of groups of 4.",
    );
    expect(diagnose(earning(0.5), "no evidence yet")[0]?.evidence).toContain("Of groups of 4 up to 12 % would differ");
  });

  it("are no cause where the policy knows its problems", () => expect(idsOf(pairs(0.95, 0.905))).toEqual([]));
});

describe("a remedy", () => {
  it("never proposes what is set", () => {
    const kls = Array.from({ length: 60 }, (_, i) => (i + 1) / 20);
    const run = (klCoef: number): RunEvidence => ({
      ...logOf({}, { klCoef }),
      metric: (key) => (key === "kl" ? { steps: kls.map((_, i) => i + 1), values: kls } : { steps: [], values: [] }),
    });
    for (const klCoef of [0, 0.005, 0.02, 3]) {
      const found = diagnose(run(klCoef), "no evidence yet").find(({ diagnosis }) => diagnosis.id === "kl-runaway");
      expect(found?.remedy?.settings.klCoef).toBeGreaterThan(klCoef);
      expect(found?.tries[0]).toContain(`A KL weight of ${found?.remedy?.settings.klCoef} or more`);
    }
  });
});
