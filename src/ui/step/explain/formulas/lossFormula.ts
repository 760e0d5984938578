// The loss of one token as the run's surrogate, KL and aggregation make it (rl/objective), with numbers.

import type { RunConfig } from "../../../../protocol/config.ts";
import { measureText } from "../../../../protocol/quantities.ts";
import { klEstimatorOf, lossKlCoef } from "../../../../rl/kl/index.ts";
import { aggregationOf } from "../../../../rl/objective/aggregation.ts";
import { surrogateOf } from "../../../../rl/surrogates/index.ts";
import type { LossWriting } from "../../../../rl/surrogates/surrogate.ts";
import type { TokenStory, TokenUpdate } from "../story/story.ts";
import { type FilledFormula, sym, texDigits, texFactor, texMeasure, texSetting } from "./tex.ts";

/** The policy's loss of a token by letters and by numbers: one formula of the surrogate, written twice. */
function policyLoss(config: RunConfig, { facts }: TokenStory, update: TokenUpdate, logprob: number) {
  const advantage = facts.advantage ?? 0;
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
    held: (tex) => `\\operatorname{sg}\\bigl(${tex}\\bigr)`,
  };
  // A loss of -φ·A·log π says what φ is.
  const phi = advantage === 0 || logprob === 0 ? 1 : -update.policyLoss / (advantage * logprob);
  const numbers: LossWriting = {
    ...signs,
    isFilled: true,
    ratio: sym("ratio", texMeasure(update.ratio)),
    advantage: sym("advantage", texFactor(advantage)),
    logprob: sym("logp-train", texFactor(logprob)),
    times: "\\cdot ",
    weight: () => sym("ratio", texMeasure(phi)),
    setting: (_tex, value) => texSetting(value),
    bound: (_tex, ...values) => sym("clip", values.map(texSetting).join(",\\,")),
    held: (tex) => tex,
  };
  const { formula } = surrogateOf(config);
  return { letters: formula(letters, config), numbers: formula(numbers, config) };
}

/** Whether the loss has a factor that is held fixed where it is differentiated. */
export function holdsFixed(config: RunConfig): boolean {
  const { ratio, movesSequence } = surrogateOf(config);
  return ratio === "held" || movesSequence?.(config) === false;
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

/** The loss that one token adds: its weight times what the policy's loss and the KL come to. */
export function lossFormula(token: TokenStory, update: TokenUpdate): FilledFormula {
  const { config } = token.story;
  const logprob = trainLogprob(token);
  const { letters, numbers } = policyLoss(config, token, update, logprob);
  const weight = aggregationOf(config);
  const kl = lossKlCoef(config) > 0 && update.kl ? update.kl.nats : null;
  const klLetters = kl === null ? "" : ` + ${sym("beta", "\\beta")}\\,${sym("kl", "D_t")}`;
  const klNumbers = kl === null ? "" : ` + ${sym("beta", texSetting(config.klCoef))}\\cdot ${sym("kl", texFactor(kl))}`;
  const loss = policyLossTex(update);
  const policy = update.isUnmasked ? update.policyLoss : 0;
  const total = update.weight * (policy + (kl === null ? 0 : config.klCoef * kl));
  return {
    tex: `${sym("loss", "L_t")} = ${sym("weight", "w_t")}\\,${kl === null ? loss : `\\bigl[${loss}${klLetters}\\bigr]`},\\qquad ${sym("policy-loss", "\\ell_t")} = ${letters},\\qquad ${sym("weight", "w_t")} = ${weight.tex}${kl === null ? "" : klTex(config)}`,
    numbers: `${sym("weight", texDigits(update.weight))}\\cdot\\Bigl[${update.isUnmasked ? numbers : `${sym("mask", "0")}\\cdot(${numbers})`}${klNumbers}\\Bigr]\\allowbreak = ${sym("loss", texDigits(total))}`,
    spoken: `The loss of the token is its weight ${measureText(update.weight)} times the policy loss ${measureText(policy)}${kl === null ? "" : ` plus the weighted KL ${measureText(config.klCoef * kl)}`}, which is ${measureText(total)}.`,
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
  return trajectory.channels.trainLogprobs[facts.index] ?? Number.NaN;
}
