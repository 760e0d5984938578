// Every sentence about a method follows from the settings in force: no run is told as another algorithm.
import { describe, expect, it } from "vitest";
import type { RunConfig, RunConfigInput } from "../../../../src/protocol/config.ts";
import { PHASES } from "../../../../src/protocol/messages.ts";
import type { AdvantageArithmetic, GroupRecord } from "../../../../src/protocol/records.ts";
import { algorithms } from "../../../../src/rl/algorithms/index.ts";
import { tasks } from "../../../../src/rl/tasks/index.ts";
import { advantageSum, groupSum } from "../../../../src/ui/kit/words/arithmetic.ts";
import { methodLead, methodName, phaseDoes } from "../../../../src/ui/kit/words/method.ts";
import { TOKEN_CHANNELS } from "../../../../src/ui/step/tokens/channels.ts";
import { resolveConfig } from "../../../support/resolveConfig.ts";

const resolved = (input: RunConfigInput) =>
  resolveConfig(
    input,
    tasks.map(({ entry }) => entry),
    algorithms,
  );

/** An exact KL needs the logits table, a critic the transformer. */
const of = (input: RunConfigInput) =>
  resolved({ task: "digit-sum", model: input.algorithm === "builtin" ? "tabular" : "transformer", ...input });

const TERMS: AdvantageArithmetic = { from: 1, baseline: 0.625, scale: 0.5176, fade: 1, shift: 0, spread: 1 };

function group(...terms: readonly AdvantageArithmetic[]): GroupRecord {
  return { trajectories: terms.map((arithmetic) => ({ arithmetic, advantage: 0.5 })) } as unknown as GroupRecord;
}

/** Whether rewards are divided by their own deviation; a critic's advantages are not. */
function divides({ advantageBaseline, advantageScale }: RunConfig): boolean {
  return advantageBaseline !== "critic" && advantageScale !== "none";
}

function sentences(config: RunConfig): string {
  const [shift, spread] = config.whitenAdvantages ? [0.1, 0.5] : [0, 1];
  const one = { ...TERMS, scale: divides(config) ? TERMS.scale : 1, shift, spread };
  return [
    methodLead(config),
    ...PHASES.map((phase) => phaseDoes(phase, config)),
    groupSum(group(one, one), config),
    ...TOKEN_CHANNELS.map(({ help }) => help),
  ].join("\n");
}

describe("what is told of an algorithm", () => {
  const all = algorithms.map(({ id, title }) => [title, of({ algorithm: id })] as const);

  it.each(all)("follows its baseline, scale, loss and KL: %s", (_, config) => {
    const text = sentences(config);
    const ofGroup = ["group-mean", "leave-one-out", "length-weighted"].includes(config.advantageBaseline);
    expect(/(mean|average) of (its|their|the) group|others in (its|their) group|group mean/.test(text)).toBe(ofGroup);
    expect(/others in (its|their) group/.test(text)).toBe(config.advantageBaseline === "leave-one-out");
    expect(/weighted by length/.test(text)).toBe(config.advantageBaseline === "length-weighted");
    expect(/critic predicted/.test(text)).toBe(config.advantageBaseline === "critic");
    expect(/group's standard deviation/.test(text)).toBe(divides(config));
    expect(/whitened/.test(text)).toBe(config.whitenAdvantages);
    expect(/is clipped: no more/.test(text)).toBe(config.surrogate === "clip" && config.innerEpochs * config.minibatches > 1);
    expect(/pulls towards the reference/.test(text)).toBe(config.klCoef > 0 && config.klPlacement === "loss");
    expect(/is taken off/.test(text)).toBe(config.klCoef > 0 && config.klPlacement === "reward");
  });

  it("speaks of worked examples, not of rewards or groups, where training is supervised", () => {
    const config = resolved({ kind: "supervised", task: "boxed-arithmetic", demonstrationNoise: 0.2 });
    const told = [methodLead(config), phaseDoes("sample", config), phaseDoes("update", config)].join(" ");
    expect(told).toContain("worked out");
    expect(told).toContain("20 % are wrong on purpose");
    expect(told).not.toMatch(/group|advantage|GRPO|scores/);
  });

  it("says so where nothing is subtracted", () => {
    const config = resolved({
      task: "digit-sum",
      model: "tabular",
      algorithm: "builtin",
      advantageBaseline: "none",
      advantageScale: "none",
    });
    expect(phaseDoes("advantage", config)).toBe("The reward itself is the advantage: nothing is subtracted.");
    expect(methodLead(config)).toContain("The higher an answer scores");
  });

  it("spells out what its letters stand for, unless the settings make another method of it", () => {
    const nameOf = (input: RunConfigInput) => {
      const config = of(input);
      return methodName(
        config,
        algorithms.find(({ id }) => id === config.algorithm),
      );
    };
    expect(nameOf({ algorithm: "grpo", klCoef: 0, innerEpochs: 4 })).toBe("This is GRPO, short for group relative policy optimization.");
    expect(nameOf({ algorithm: "ppo" })).toContain("proximal policy optimization");
    expect(nameOf({ algorithm: "grpo", advantageBaseline: "none" })).toBeNull();
    expect(nameOf({ algorithm: "grpo", kind: "supervised" })).toBeNull();
    for (const { title, fullName } of algorithms) if (/^(Dr\. )?[A-Z]+O$/.test(title)) expect(fullName, title).toBeDefined();
  });
});

describe("the sum of an advantage", () => {
  it("is the reward minus the baseline over the scale", () => {
    expect(advantageSum(TERMS, 0.7245, of({ algorithm: "grpo" }))).toBe("(1 − 0.625) / 0.5176 = +0.7245");
    expect(advantageSum({ ...TERMS, scale: 1 }, 0.375, of({ algorithm: "dr-grpo" }))).toBe("1 − 0.625 = +0.375");
  });

  it("has so many digits that those that are shown come to the result", () => {
    const terms = { ...TERMS, from: 0, baseline: 0.875, scale: 0.35365339 };
    expect(advantageSum(terms, -0.875 / terms.scale, of({ algorithm: "grpo" }))).toBe("(0 − 0.875) / 0.3537 = −2.474");
    expect(advantageSum({ ...TERMS, from: 0, baseline: 0, scale: 1e-4 }, 0, of({ algorithm: "grpo" }))).toBe("(0 − 0) / 1e−4 = 0");
  });

  it("shows whitening, a discount and a baseline below zero where they take part", () => {
    const terms = { ...TERMS, from: 0.8, baseline: -0.2, scale: 1, shift: 0.1, spread: 0.5 };
    expect(advantageSum(terms, 1.8, of({ algorithm: "ppo" }))).toBe("((0.800 + 0.200) − 0.100) / 0.500 = +1.800");
    expect(advantageSum({ ...terms, baseline: 0 }, 1.4, of({ algorithm: "reinforce-plus-plus" }))).toBe("(0.800 − 0.100) / 0.500 = +1.400");
    expect(advantageSum({ ...TERMS, fade: 0.9 }, 0.652, of({ algorithm: "grpo" }))).toBe("(1 − 0.625) / 0.518 · 0.900 = +0.652");
  });

  it("names its parts with their numbers over a group", () => {
    expect(groupSum(group(TERMS, TERMS), of({ algorithm: "grpo" }))).toBe(
      "The reward minus the mean of its group (0.625), divided by the group's standard deviation (0.518). Above 0 is pushed up, below 0 pushed down.",
    );
    expect(groupSum(group({ ...TERMS, scale: 1 }, { ...TERMS, baseline: 0.5, scale: 1 }), of({ algorithm: "rloo" }))).toContain(
      "minus the mean of the others in its group (0.500 to 0.625)",
    );
  });
});
