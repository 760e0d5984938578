// The figures of an explained token, against what the trainer itself recorded, for every kind of algorithm.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../../src/protocol/config.ts";
import { measureText } from "../../../../../src/protocol/quantities.ts";
import { parseFormula } from "../../../../../src/ui/kit/formula/typeset.ts";
import { advantageFormula, sumStart } from "../../../../../src/ui/step/explain/formulas/advantageFormula.ts";
import { lossFormula } from "../../../../../src/ui/step/explain/formulas/lossFormula.ts";
import {
  afterFormula,
  gradientFormula,
  ratioFormula,
  rewardFormula,
  sampledFormula,
} from "../../../../../src/ui/step/explain/formulas/tokenFormulas.ts";
import { phaseFormula } from "../../../../../src/ui/step/explain/PhasePanel.tsx";
import { EXPLAINED } from "../../../../../src/ui/step/explain/story/phases.ts";
import { phaseReason, pushSentence } from "../../../../../src/ui/step/explain/story/reasons.ts";
import { type StepStory, stepStory, type TokenStory, tokenStory } from "../../../../../src/ui/step/explain/story/story.ts";
import { recordedStep, SMALL_TRANSFORMER } from "../../../../rl/recordedStep.ts";

/** Runs whose last pass is no longer the first, so that ratios leave 1. */
const moving: RunConfigInput = { learningRate: 0.5, maxGradNorm: 0, innerEpochs: 3, groupSize: 4, promptsPerStep: 2 };
const ALGORITHMS: readonly (readonly [string, RunConfigInput])[] = [
  ["grpo", { klCoef: 0.1 }],
  ["grpo", { klCoef: 0.1, klBiasCorrection: true }],
  ["gspo", { klCoef: 0.1, klBiasCorrection: true, klEstimator: "k2" }],
  ["vespo", { vespoFixedWeight: false }],
  ["rloo", { klCoef: 0.1 }],
  ["dr-grpo", {}],
  ["dapo", { dynamicSampling: false, overlongBuffer: 2 }],
  ["gspo", {}],
  ["cispo", {}],
  ["sapo", {}],
  ["luspo", {}],
  ["vespo", {}],
  ["bnpo", {}],
  ["rloo", {}],
  ["reinforce", {}],
  ["reinforce-plus-plus", {}],
  ["reinforce-plus-plus-baseline", {}],
  ["opo", {}],
  ["two-sided-clip", {}],
  ["dual-clip", {}],
  ["builtin", { innerEpochs: 1 }],
  ["ppo", { ...SMALL_TRANSFORMER, innerEpochs: 2, promptsPerStep: 1 }],
];

/** A formula without the names of its symbols. */
function plain(tex: string): string {
  const next = tex.replace(/\\sym\{[^{}]*\}\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}/g, "$1");
  return next === tex ? tex : plain(next);
}

/** What the numbers of a formula come to, as they are shown. */
function byHand(tex: string): number {
  const sum = plain(tex)
    .replace(/ ?\\cdot 10\^\{(-?\d+)\}/g, "e$1")
    .replace(/\\(?:exp)/g, "Math.exp")
    .replace(/\\(?:bigl|bigr|Bigl|Bigr|allowbreak)/g, "")
    .replace(/\[/g, "(")
    .replace(/\]/g, ")")
    .replace(/\\operatorname\{clip\}\(([^,]*),\\,([^,]*),\\,([^)]*)\)/g, "Math.max($2, Math.min($3, $1))")
    .replace(/\\(min|max)/g, "Math.$1")
    .replace(/\\tfrac\{4\}\{([^{}]*)\}/g, "4/$1*")
    .replace(/\\sigma/g, "sigma")
    .replace(/\\,\(/g, "*(")
    .replace(/\\[,\\ ]/g, " ")
    .replace(/\\tfrac\{1\}\{(\d+)\}/g, "1/$1")
    .replace(/^e\^\{(.*)\}$/, "Math.exp($1)")
    .replace(/\\cdot/g, "*");
  const quotients = sum.replace(/\\frac\{([^{}]*)\}\{([^{}]*)\}/g, "(($1)/($2))").replace(/\\frac\{([^{}]*)\}\{([^{}]*)\}/g, "(($1)/($2))");
  const sigma = (x: number) => 1 / (1 + Math.exp(-x));
  return Number(new Function("sigma", `return ${quotients}`)(sigma));
}

/** The numbers of a gradient as sums of products. */
function computable(tex: string): string {
  return tex.replace(/ ?\\cdot 10\^\{(-?\d+)\}/g, "e$1").replace(/[()]/g, "");
}
const terms = (sum: string) => sum.split(" + ").map((product) => product.split("\\cdot ").reduce((all, factor) => all * Number(factor), 1));
const evaluated = (sum: string) => terms(sum).reduce((all, term) => all + term, 0);

function tokensOf(story: StepStory): readonly TokenStory[] {
  return story.step.groups.flatMap(({ promptIndex, trajectories }) =>
    trajectories.flatMap(({ tokens }, member) => tokens.map((_, token) => tokenStory(story, promptIndex, member, token)!)),
  );
}

describe.each(ALGORITHMS)("an update of %s", (algorithm, extra) => {
  const recorded = recordedStep({ algorithm, ...moving, ...extra }, 2).then(stepStory);

  it("has the gradient that the trainer recorded at every token, as policy and KL together", async () => {
    const tokens = tokensOf(await recorded);
    const largest = Math.max(...tokens.map(({ update }) => Math.abs(update?.recorded ?? 0)));
    expect(largest).toBeGreaterThan(0);
    for (const { update } of tokens) {
      if (!update) continue;
      expect(Math.abs(update.gradient - update.recorded!)).toBeLessThan(1e-5 * largest);
      expect(update.policyPart + update.klPart).toBeCloseTo(update.gradient, 12);
    }
  });

  it("adds the tokens' losses up to the loss", async () => {
    const story = await recorded;
    const { config, objective, input } = story.objective;
    const inLoss = config.klPlacement === "loss" && config.klEstimator !== "exact" ? config.klCoef : 0;
    const sum = tokensOf(story).reduce(
      (total, { update }) =>
        total + (update ? update.weight * ((update.isUnmasked ? update.policyLoss : 0) + inLoss * (update.kl?.nats ?? 0)) : 0),
      0,
    );
    expect(input.mask_K.length).toBeGreaterThan(0);
    expect(sum).toBeCloseTo(objective.sums.policyLoss + objective.sums.klLoss, 10);
  });

  it("has a sum for each advantage that comes to it", async () => {
    for (const token of tokensOf(await recorded)) {
      const { facts, trajectory, story, criticReturn } = token;
      const terms = trajectory.arithmetic;
      if (!terms || facts.advantage === null) continue;
      const { from, hasBaseline, fade } = sumStart(token, terms);
      const raw =
        story.config.advantageBaseline === "critic"
          ? criticReturn! - facts.criticValue!
          : ((from - (hasBaseline ? terms.baseline : 0)) / terms.scale) * fade;
      expect((raw - terms.shift) / terms.spread).toBeCloseTo(facts.advantage, 5);
      const [, said = ""] = /which is (.*)\.$/.exec(advantageFormula(token)?.spoken ?? "") ?? [];
      expect(Math.abs(Number(said.replace("−", "-")) - facts.advantage)).toBeLessThanOrEqual(0.0005 * (1 + 1e-6));
    }
  });

  it("weighs the policy's loss and the KL once, and differentiates the terms that the loss names", async () => {
    const story = await recorded;
    const { config } = story;
    const hasKl = config.klCoef > 0 && config.klPlacement === "loss" && config.klEstimator !== "exact";
    for (const token of tokensOf(story)) {
      if (!token.update) continue;
      const [loss, gradient] = [lossFormula(token, token.update), gradientFormula(token, token.update)];
      const [sum = "", policy = "", weight = ""] = plain(loss.tex).split(",\\qquad ");
      expect(sum).toMatch(
        hasKl ? /^L_t = w_t\\,\\bigl\[(m_\{t\}\\,)?\\ell_\{t\} \+ \\beta\\,D_t\\bigr\]$/ : /^L_t = w_t\\,(m_\{t\}\\,)?\\ell_\{t\}$/,
      );
      expect(policy).toMatch(/^\\ell_t = -/);
      expect(policy).not.toMatch(/w_t|D_t/);
      expect(weight).toMatch(/^w_t = /);
      const slopes = plain(gradient.tex).split(" = ")[1]!;
      expect(slopes.match(/w_/g)?.length).toBe(hasKl ? 2 : 1);
      expect(slopes.includes("D_{")).toBe(hasKl);
      // The gradient's numbers add up, within the digits that are shown.
      const [left = "", right = ""] = plain(gradient.numbers).split(" = ").map(computable);
      expect(Math.abs(evaluated(left) - evaluated(right))).toBeLessThanOrEqual(0.01 * Math.max(...terms(left).map(Math.abs)) + 1e-12);
    }
  });

  it("shows results that somebody finds who does the sums again from the digits shown", async () => {
    for (const token of tokensOf(await recorded)) {
      const { update } = token;
      const formulas = [sampledFormula(token), rewardFormula(token), advantageFormula(token), afterFormula(token)];
      if (update) formulas.push(ratioFormula(token, update), lossFormula(token, update), gradientFormula(token, update));
      for (const formula of formulas) {
        const [left, right = ""] = plain(formula?.numbers ?? "").split(" = ");
        if (!left || right === "") continue;
        const shown = computable(right);
        const decimals = /e/.test(shown) ? null : (shown.split(".")[1]?.length ?? 0);
        const found = byHand(left);
        const half = decimals === null ? Math.abs(Number(shown)) * 0.05 : 0.5 * 10 ** -decimals;
        expect(Math.abs(found - Number(shown)), formula!.numbers).toBeLessThanOrEqual(half * (1 + 1e-6));
      }
      expect(afterFormula(token)?.numbers ?? " = ").toContain(" = ");
    }
  });

  it("names the reward and the group's mean where these are compared", async () => {
    for (const token of tokensOf(await recorded)) {
      const { advantageBaseline, whitenAdvantages } = token.story.config;
      const terms = token.trajectory.arithmetic;
      if (advantageBaseline !== "group-mean" || whitenAdvantages || !terms || !token.facts.advantage) continue;
      expect(pushSentence(token)).toContain(`, ${measureText(terms.from)}, lies `);
      expect(pushSentence(token)).toContain(` ${measureText(terms.baseline)}, so its advantage is `);
    }
  });

  it("says of a token that moved against its push that it did, and of no other", async () => {
    let count = 0;
    for (const token of tokensOf(await recorded)) {
      const { facts, update } = token;
      const change = (facts.newLogprob ?? Number.NaN) - (facts.oldLogprob ?? Number.NaN);
      if (!update || update.gradient === 0 || !(Math.abs(change) > 1e-4) || !facts.advantage) continue;
      const isOther = change * update.gradient > 0;
      expect(pushSentence(token).includes(`It ${change > 0 ? "rose" : "fell"} all the same`)).toBe(isOther);
      if (isOther) count += 1;
    }
    expect(count).toBeGreaterThan(0);
  });

  it("has a formula that can be set at every phase, and a reason", async () => {
    const token = tokensOf(await recorded).find(({ update }) => update !== null)!;
    for (const { id } of EXPLAINED) {
      const formula = phaseFormula(id, token);
      expect([id, formula === null]).toEqual([id, id === "prompt"]);
      if (formula) for (const tex of [formula.tex, formula.numbers]) expect(() => parseFormula(tex, true)).not.toThrow();
      expect(phaseReason(id, token)).not.toMatch(/NaN|undefined|null/);
    }
    expect(pushSentence(token)).toMatch(/advantage|equal/);
  });
});
