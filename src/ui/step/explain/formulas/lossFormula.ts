// The loss of one token as the run's surrogate, KL and aggregation make it (rl/objective), with numbers.

import type { RunConfig } from "../../../../protocol/config.ts";
import { measureText, measureWith } from "../../../../protocol/quantities.ts";
import { klEstimatorOf, lossKlCoef } from "../../../../rl/kl/index.ts";
import { aggregationOf } from "../../../../rl/objective/aggregation.ts";
import { surrogateOf } from "../../../../rl/surrogates/index.ts";
import type { LossWriting } from "../../../../rl/surrogates/surrogate.ts";
import { asShown, handDigits } from "../../../kit/words/arithmetic.ts";
import type { TokenStory, TokenUpdate } from "../story/story.ts";
import { asTexDigits, type FilledFormula, sym, texDigits, texEquals, texFactor, texMeasure, texSetting } from "./tex.ts";

/** The numbers that the policy's loss of a token is made of. */
interface LossNumbers {
  readonly ratio: number;
  readonly advantage: number;
  readonly logprob: number;
  /** What a whole sequence is weighed with. */
  readonly sequenceWeight: number;
}

/** The policy's loss of a token with these numbers, by the surrogate's own rule: of a batch of this token alone. */
function lossOf(config: RunConfig, { ratio, advantage, logprob, sequenceWeight }: LossNumbers): number {
  const { fill, movesSequence } = surrogateOf(config);
  // A weight of the whole sequence stands in the formula by itself.
  if (movesSequence) return -sequenceWeight * advantage * logprob;
  const one = (value: number) => Float64Array.of(value);
  const input = {
    logprobs_K: one(logprob),
    oldLogprobs_K: one(logprob - Math.log(ratio)),
    advantages_K: one(advantage),
    mask_K: one(1),
    refLogprobs_K: null,
    entropies_K: null,
    values_K: null,
    oldValues_K: null,
    returns_K: null,
    sequenceStart_Q: Int32Array.of(0, 1),
    totals: { tokens: 1, sequences: 1, entropyThreshold: Number.NEGATIVE_INFINITY, activeTokens: 1 },
  };
  const out = {
    loss_K: one(0),
    dRatio_K: one(0),
    dLogprob_K: one(0),
    dSequence_K: one(0),
    sequenceWeight_Q: one(0),
    clipState_K: new Int8Array(1),
  };
  fill(input, { ratio_K: one(ratio), logRatio_K: one(Math.log(ratio)), trained_Q: one(1) }, config, out);
  return out.loss_K[0]!;
}

function numbersOf({ facts }: TokenStory, update: TokenUpdate, logprob: number): LossNumbers {
  const advantage = facts.advantage ?? 0;
  // A loss of -weight·A·log π says what the weight is.
  const sequenceWeight = advantage === 0 || logprob === 0 ? 1 : -update.policyLoss / (advantage * logprob);
  return { ratio: update.ratio, advantage, logprob, sequenceWeight };
}

/** The policy's loss of a token by letters and by numbers of so many decimals: one formula of the surrogate, written twice. */
function policyLoss(config: RunConfig, { ratio, advantage, logprob, sequenceWeight }: LossNumbers, decimals: number) {
  const signs = { isPositive: advantage > 0, isNegative: advantage < 0 };
  const letters: LossWriting = {
    ...signs,
    isFilled: false,
    ratio: sym("ratio", "\\rho_t"),
    advantage: sym("advantage", "A_t"),
    logprob: sym("logp-train", "\\log\\pi_\\theta"),
    times: "\\,",
    weight: (tex) => sym("ratio", tex),
    setting: (tex) => tex,
    bound: (tex) => sym("clip", tex),
    // What no gradient goes through.
    detached: (tex) => `\\operatorname{sg}\\bigl(${tex}\\bigr)`,
  };
  const numbers: LossWriting = {
    ...signs,
    isFilled: true,
    ratio: sym("ratio", texMeasure(ratio, decimals)),
    advantage: sym("advantage", texFactor(advantage, decimals)),
    logprob: sym("logp-train", texFactor(logprob, decimals)),
    times: "\\cdot ",
    weight: () => sym("ratio", texMeasure(sequenceWeight, decimals)),
    setting: (_tex, value) => texSetting(value),
    bound: (_tex, ...values) => sym("clip", values.map(texSetting).join(",\\,")),
    detached: (tex) => tex,
  };
  const { formula } = surrogateOf(config);
  return { letters: formula(letters, config), numbers: formula(numbers, config) };
}

/** Whether the loss has a factor that is held fixed where it is differentiated. */
export function holdsFixed(config: RunConfig): boolean {
  const { ratio, movesSequence } = surrogateOf(config);
  return ratio === "detached" || movesSequence?.(config) === false;
}

/** The policy's loss of a token as the loss and its gradient both name it; a mask can take it away. */
export function policyLossTex({ isUnmasked }: TokenUpdate, t = "t"): string {
  return `${isUnmasked ? "" : `${sym("mask", `m_{${t}}`)}\\,`}${sym("policy-loss", `\\ell_{${t}}`)}`;
}

/** What the KL of a token is by letters, of d, its log-prob over the reference's. */
function klTex(config: RunConfig): string {
  const estimate = klEstimatorOf(config).tex("d_t");
  const factor = config.klBiasCorrection ? `${sym("ratio", "\\rho_t")}\\,` : "";
  return `,\\qquad ${sym("kl", "D_t")} = ${factor}${estimate},\\quad d_t = ${sym("logp-train", "\\log\\pi_\\theta")} - \\log\\pi_{\\text{ref}}`;
}

/** The digits from which the loss is found again. */
function lossDigits(
  config: RunConfig,
  { ratio, advantage, logprob, sequenceWeight }: LossNumbers,
  update: TokenUpdate,
  kl: number | null,
  total: number,
) {
  return handDigits(
    total,
    (decimals) => {
      const shown = (value: number) => asShown(value, decimals);
      const numbers = { ratio: shown(ratio), advantage: shown(advantage), logprob: shown(logprob), sequenceWeight: shown(sequenceWeight) };
      const policy = update.isUnmasked ? lossOf(config, numbers) : 0;
      return asTexDigits(update.weight, decimals) * (policy + (kl === null ? 0 : config.klCoef * shown(kl)));
    },
    texDigits,
  );
}

/** The sum in words, in digits that come to its result. */
function spokenLoss(weight: number, policy: number, kl: number | null, total: number): string {
  const digits = handDigits(total, (decimals) => {
    const [w, loss, pull] = [weight, policy, kl ?? 0].map((value) => asShown(value, decimals));
    return w! * (loss! + pull!);
  });
  const write = (value: number) => measureWith(value, digits.of);
  const also = kl === null ? "" : ` plus the weighted KL ${write(kl)}`;
  return `The loss of the token is its weight ${write(weight)} times the policy loss ${write(policy)}${also}, which is ${measureWith(total, digits.result)}.`;
}

/** The loss that one token adds: its weight times what the policy's loss and the KL come to. */
export function lossFormula(token: TokenStory, update: TokenUpdate): FilledFormula {
  const { config } = token.story;
  const logprob = trainLogprob(token);
  const weight = aggregationOf(config);
  const kl = lossKlCoef(config) > 0 && update.kl ? update.kl.nats : null;
  const loss = policyLossTex(update);
  const policy = update.isUnmasked ? update.policyLoss : 0;
  const total = update.weight * (policy + (kl === null ? 0 : config.klCoef * kl));
  const of = numbersOf(token, update, logprob);
  const digits = lossDigits(config, of, update, kl, total);
  const { letters, numbers } = policyLoss(config, of, digits.of);
  const klLetters = kl === null ? "" : ` + ${sym("beta", "\\beta")}\\,${sym("kl", "D_t")}`;
  const klNumbers = kl === null ? "" : ` + ${sym("beta", texSetting(config.klCoef))}\\cdot ${sym("kl", texFactor(kl, digits.of))}`;
  return {
    tex: `${sym("loss", "L_t")} = ${sym("weight", "w_t")}\\,${kl === null ? loss : `\\bigl[${loss}${klLetters}\\bigr]`},\\qquad ${sym("policy-loss", "\\ell_t")} = ${letters},\\qquad ${sym("weight", "w_t")} = ${weight.tex}${kl === null ? "" : klTex(config)}`,
    numbers: `${sym("weight", texDigits(update.weight, digits.of))}\\cdot\\Bigl[${update.isUnmasked ? numbers : `${sym("mask", "0")}\\cdot(${numbers})`}${klNumbers}\\Bigr]\\allowbreak ${texEquals(digits.sign)} ${sym("loss", texDigits(total, digits.result))}`,
    spoken: spokenLoss(update.weight, policy, kl === null ? null : config.klCoef * kl, total),
    symbols: {
      weight: `weight of the token, ${measureText(update.weight)}`,
      "policy-loss": `the policy's loss of the token, ${measureText(update.policyLoss)}`,
      mask: "a mask removes the policy's part for this token",
      advantage: `advantage, ${measureText(token.facts.advantage ?? 0)}`,
      ratio: `ratio, ${measureText(update.ratio)}`,
      clip: "bounds of the clip, from the settings",
      "logp-train": `log-prob in training, ${measureText(logprob)}`,
      beta: `weight of the KL, ${measureText(config.klCoef)}`,
      ...(kl === null ? {} : { kl: `KL to the reference${config.klBiasCorrection ? " times the ratio" : ""}, ${measureText(kl)} nats` }),
      loss: `the loss of this token, ${measureText(total)}`,
    },
  };
}

/** Log-prob of the token in the last training forward. */
export function trainLogprob({ trajectory, facts }: TokenStory): number {
  return trajectory.channels.trainLogprobs?.[facts.index] ?? Number.NaN;
}
