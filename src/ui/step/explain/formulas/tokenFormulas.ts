// The formulas of the other phases: how likely the token was, what its answer earned, the ratio, the
// gradient and what came of it.

import { measureText, shareText, signedMeasureText } from "../../../../protocol/quantities.ts";
import { lossKlCoef } from "../../../../rl/kl/index.ts";
import { surrogateOf } from "../../../../rl/surrogates/index.ts";
import { asShown, handDigits, partsDigits } from "../../../kit/words/arithmetic.ts";
import type { TokenStory, TokenUpdate } from "../story/story.ts";
import { policyLossTex, trainLogprob } from "./lossFormula.ts";
import { asTexDigits, type FilledFormula, sym, texDigits, texEquals, texFactor, texMeasure, texSetting } from "./tex.ts";

/** How likely the token was under the policy that sampled it. */
export function sampledFormula({ facts }: TokenStory): FilledFormula | null {
  if (facts.oldLogprob === null) return null;
  const logprob = facts.oldLogprob;
  const p = Math.exp(logprob);
  const { of, result, sign } = handDigits(p, (decimals) => Math.exp(asShown(logprob, decimals)));
  return {
    tex: `${sym("p-old", "\\pi_{\\text{old}}(o_t \\mid q, o_{<t})")}\\allowbreak = e^{${sym("logp-old", "\\log\\pi_{\\text{old}}")}}`,
    numbers: `e^{${sym("logp-old", texMeasure(logprob, of))}} ${texEquals(sign)} ${sym("p-old", texMeasure(p, result))}`,
    spoken: `The probability when it was sampled is e to the power of ${measureText(logprob)}, which is ${shareText(p)}.`,
    symbols: {
      "p-old": `probability when sampled, ${shareText(p)}`,
      "logp-old": `log-prob when sampled, ${measureText(logprob)} nats`,
    },
  };
}

/** The reward as the weighted sum of its parts; parts that could not score are left out. */
export function rewardFormula({ trajectory }: TokenStory): FilledFormula | null {
  if (trajectory.reward === null) return null;
  const parts = trajectory.rewardParts.flatMap(({ value, weight }, j) =>
    value === null || weight === null || weight === 0 ? [] : [{ value, weight, j }],
  );
  const { reward } = trajectory;
  const { of, result, sign } = partsDigits(trajectory.rewardParts, reward);
  const sum = parts.map(({ value, weight, j }) => `${texSetting(weight)}\\cdot ${sym(`part-${j}`, texFactor(value, of))}`).join(" + ");
  return {
    tex: `${sym("reward", "r")} = \\sum_j w_j\\, r_j`,
    numbers: `${sum || "0"} ${texEquals(sign)} ${sym("reward", texMeasure(reward, result))}`,
    spoken: `The reward is the weighted sum of its parts, ${measureText(reward)}.`,
    symbols: {
      reward: `reward, ${measureText(reward)}`,
      ...Object.fromEntries(parts.map(({ value, j }) => [`part-${j}`, `${trajectory.rewardParts[j]!.name}, ${measureText(value)}`])),
    },
  };
}

/** The importance ratio, of the token or of the whole completion. */
export function ratioFormula(token: TokenStory, update: TokenUpdate): FilledFormula {
  const { facts, story, trained } = token;
  const now = trainLogprob(token);
  const old = facts.oldLogprob ?? Number.NaN;
  const isWhole = story.config.ratioLevel === "sequence";
  const { of, result, sign } = handDigits(update.ratio, (decimals) =>
    Math.exp(isWhole ? asShown(update.meanLogRatio * trained, decimals) / trained : asShown(now, decimals) - asShown(old, decimals)),
  );
  const difference = `${sym("logp-train", "\\log\\pi_\\theta")} - ${sym("logp-old", "\\log\\pi_{\\text{old}}")}`;
  return {
    tex: isWhole
      ? `${sym("ratio", "\\rho")} = \\exp\\Bigl(\\tfrac{1}{${sym("length", "|o|")}}\\textstyle\\sum_t\\bigl[${difference}\\bigr]\\Bigr)`
      : `${sym("ratio", "\\rho_t")} = \\frac{\\pi_\\theta(o_t)}{\\pi_{\\text{old}}(o_t)}\\allowbreak = \\exp\\bigl(${difference}\\bigr)`,
    numbers: isWhole
      ? `\\exp\\Bigl(\\tfrac{1}{${sym("length", String(trained))}}\\cdot ${texFactor(update.meanLogRatio * trained, of)}\\Bigr) ${texEquals(sign)} ${sym("ratio", texMeasure(update.ratio, result))}`
      : `\\exp\\bigl(${sym("logp-train", texMeasure(now, of))} - ${sym("logp-old", texFactor(old, of))}\\bigr) ${texEquals(sign)} ${sym("ratio", texMeasure(update.ratio, result))}`,
    spoken: `The ratio is ${measureText(update.ratio)}.`,
    symbols: {
      "logp-train": `log-prob in the last inner epoch, ${measureText(now)} nats`,
      "logp-old": `log-prob when sampled, ${measureText(old)} nats`,
      length: `trained tokens of the completion, ${trained}`,
      ratio: `ratio, ${measureText(update.ratio)}`,
    },
  };
}

/** A derivative by the token's log-prob; of the losses of all tokens where they share what depends on it. */
function slopeTex(what: (t: string) => string, factor: string, isShared: boolean): string {
  const by = "/\\partial\\log\\pi_\\theta";
  return isShared
    ? `\\textstyle\\sum_{t'} ${sym("weight", "w_{t'}")}\\,${factor}\\partial(${what("t'")})${by}`
    : `${sym("weight", "w_t")}\\,${factor}\\partial(${what("t")})${by}`;
}

/** The derivative of the loss by the token's log-prob: the policy's part and the KL's, of the terms that the loss names. */
export function gradientFormula(token: TokenStory, update: TokenUpdate): FilledFormula {
  const { config } = token.story;
  const { ratioLevel, klBiasCorrection } = config;
  const { ratio, movesSequence } = surrogateOf(config);
  const hasKl = lossKlCoef(config) > 0 && update.kl !== null;
  // A ratio of the whole completion carries the token's log-prob into the losses of all its tokens.
  const isWhole = ratioLevel === "sequence";
  const isShared = (isWhole && ratio === "moves") || movesSequence?.(config) === true;
  const slope = update.weight === 0 ? 0 : update.policyPart / update.weight;
  const kl = hasKl
    ? ` + ${sym(
        "kl-part",
        slopeTex((t) => `D_{${t}}`, `${sym("beta", "\\beta")}\\,`, isWhole && klBiasCorrection),
      )}`
    : "";
  const { of, result, sign } = handDigits(
    update.gradient,
    (count) => {
      const shown = (value: number) => asTexDigits(value, count);
      return (isShared ? shown(update.policyPart) : shown(update.weight) * shown(slope)) + (hasKl ? shown(update.klPart) : 0);
    },
    texDigits,
  );
  const policy = isShared
    ? sym("slope", `(${texDigits(update.policyPart, of)})`)
    : `${sym("weight", texDigits(update.weight, of))}\\cdot ${sym("slope", `(${texDigits(slope, of)})`)}`;
  return {
    tex: `${sym("gradient", "\\frac{\\partial L}{\\partial \\log\\pi_\\theta(o_t)}")} = ${sym(
      "slope",
      slopeTex((t) => policyLossTex(update, t), "", isShared),
    )}${kl}`,
    numbers: `${policy}${hasKl ? ` + ${sym("kl-part", `(${texDigits(update.klPart, of)})`)}` : ""} ${texEquals(sign)} ${sym("gradient", texDigits(update.gradient, result))}`,
    spoken: `The derivative of the loss by the token's log-prob is ${measureText(update.gradient)}.`,
    symbols: {
      weight: `weight of the token, ${measureText(update.weight)}`,
      slope: isShared
        ? `what the policy's losses add, ${measureText(update.policyPart)}`
        : `slope of its policy loss, ${measureText(slope)}`,
      "policy-loss": `the policy's loss of the token, ${measureText(update.policyLoss)}`,
      mask: "a mask removes the policy's part for this token",
      beta: `weight of the KL, ${measureText(config.klCoef)}`,
      "kl-part": `what the KL adds, ${measureText(update.klPart)}`,
      gradient: `derivative of the loss by this log-prob, ${measureText(update.gradient)}`,
    },
  };
}

/** What came of the token; null where it was not measured. */
export function afterFormula({ facts }: TokenStory): FilledFormula | null {
  const { oldLogprob: old, newLogprob: now } = facts;
  if (old === null || now === null) return null;
  const { of, result, sign } = handDigits(now - old, (decimals) => asShown(now, decimals) - asShown(old, decimals));
  return {
    tex: `${sym("change", "\\Delta\\log\\pi")} = ${sym("logp-new", "\\log\\pi_{\\text{new}}")} - ${sym("logp-old", "\\log\\pi_{\\text{old}}")}`,
    numbers: `${sym("logp-new", texMeasure(now, of))} - ${sym("logp-old", texFactor(old, of))} ${texEquals(sign)} ${sym("change", texMeasure(now - old, result))}`,
    spoken: `The log-prob changed by ${signedMeasureText(now - old)}.`,
    symbols: {
      "logp-new": `log-prob after the update, ${measureText(now)} nats`,
      "logp-old": `log-prob when sampled, ${measureText(old)} nats`,
      change: `change of the log-prob, ${signedMeasureText(now - old)}`,
    },
  };
}
