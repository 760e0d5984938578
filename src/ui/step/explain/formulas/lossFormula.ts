// The loss of one token as the run's surrogate, KL and aggregation make it (rl/objective), with numbers.

import type { RunConfig } from "../../../../protocol/config.ts";
import { measureText } from "../../../../protocol/quantities.ts";
import { lossKlCoef } from "../../../../rl/kl.ts";
import type { TokenStory, TokenUpdate } from "../story/story.ts";
import { type FilledFormula, sym, texDigits, texFactor, texMeasure, texSetting } from "./tex.ts";

type Aggregation = RunConfig["aggregation"];

const A = sym("advantage", "A_t");
const RHO = sym("ratio", "\\rho_t");
/** What no gradient goes through. */
const HELD = "\\operatorname{sg}";
const LOGP = sym("logp-train", "\\log\\pi_\\theta");

/** What a token's loss is multiplied with, by letters; Q completions in the optimizer batch. */
const WEIGHTS: Readonly<Record<Aggregation, { readonly tex: string; readonly words: string }>> = {
  "sequence-mean": {
    tex: "\\tfrac{1}{Q\\,|o|}",
    words: "one over the completions times this one's length: a long answer weighs less per token",
  },
  "token-mean": { tex: "\\tfrac{1}{\\sum_i |o_i|}", words: "one over all trained tokens of the batch: every token weighs the same" },
  "micro-token-mean": { tex: "\\tfrac{1}{\\sum_i |o_i|}", words: "one over the trained tokens of its micro-batch" },
  "constant-length": { tex: "\\tfrac{1}{Q\\,T_{\\max}}", words: "one over the completions times the length limit: length plays no part" },
  "sequence-sum": { tex: "\\tfrac{1}{Q}", words: "one over the completions: the tokens of an answer add up" },
};

/** Why a token has the weight it has, in words. */
export function weightWords(aggregation: Aggregation): string {
  return WEIGHTS[aggregation].words;
}

function bounds({ clipLow, clipHigh }: RunConfig) {
  return {
    letters: `${sym("clip", "1-\\varepsilon_{\\text{low}},\\,1+\\varepsilon_{\\text{high}}")}`,
    numbers: `${sym("clip", `${texSetting(1 - clipLow)},\\,${texSetting(1 + clipHigh)}`)}`,
  };
}

interface Letters {
  readonly letters: string;
  readonly numbers: string;
}

function clipTerm(config: RunConfig, rho: string, a: string, isNegative: boolean): Letters {
  const { letters, numbers } = bounds(config);
  const capped = config.clipDelta > 0;
  const first = (ratio: string, bound: string) => (capped ? `\\min(${ratio},${sym("clip", bound)})` : ratio);
  const inner = (ratio: string, range: string, bound: string, adv: string) =>
    `\\min\\bigl(${first(ratio, bound)}\\,${adv},\\allowbreak\\operatorname{clip}(${ratio},\\,${range})\\,${adv}\\bigr)`;
  // The floor holds for negative advantages alone.
  const dual = config.dualClip > 0 && isNegative;
  const whole = (text: string, floor: string, adv: string) =>
    dual ? `\\max\\bigl(${text},\\ ${sym("clip", floor)}\\,${adv}\\bigr)` : text;
  return {
    letters: `-${whole(inner(RHO, letters, "\\delta", A), "c", A)}`,
    numbers: `-${whole(
      inner(sym("ratio", rho), numbers, texSetting(config.clipDelta), `\\cdot ${sym("advantage", a)}`),
      texSetting(config.dualClip),
      `\\cdot ${sym("advantage", a)}`,
    )}`,
  };
}

/** The policy's loss of a token. */
function surrogateTerm(config: RunConfig, { facts }: TokenStory, update: TokenUpdate, logprob: number): Letters {
  const advantage = facts.advantage ?? 0;
  const rho = texMeasure(update.ratio);
  const a = texFactor(advantage);
  const logp = sym("logp-train", texFactor(logprob));
  switch (config.surrogate) {
    case "clip":
      return clipTerm(config, rho, a, advantage < 0);
    case "reinforce":
      return { letters: `-${A}\\,${LOGP}`, numbers: `-${sym("advantage", a)}\\cdot ${logp}` };
    case "cispo":
      return {
        letters: `-${HELD}\\bigl(\\min(${RHO},\\,${sym("clip", "c")})\\bigr)\\,${A}\\,${LOGP}`,
        numbers: `-\\min(${sym("ratio", rho)},\\,${sym("clip", texSetting(config.cispoMax))})\\cdot ${sym("advantage", a)}\\cdot ${logp}`,
      };
    case "sapo": {
      const tau = advantage > 0 ? config.sapoTemperaturePos : config.sapoTemperatureNeg;
      const t = texSetting(tau);
      return {
        letters: `-\\tfrac{4}{${sym("clip", "\\tau")}}\\,\\sigma\\bigl(\\tau(${RHO}-1)\\bigr)\\,${A}`,
        numbers: `-\\tfrac{4}{${sym("clip", t)}}\\,\\sigma\\bigl(${t}\\,(${sym("ratio", rho)}-1)\\bigr)\\cdot ${sym("advantage", a)}`,
      };
    }
    case "vespo": {
      // The loss is −φ·A·log π, so φ is what the trainer's number says it is.
      const phi = advantage === 0 || logprob === 0 ? 1 : -update.policyLoss / (advantage * logprob);
      return {
        letters: config.vespoFixedWeight
          ? `-${HELD}\\bigl(${sym("ratio", "\\varphi(W)")}\\bigr)\\,${A}\\,${LOGP}`
          : `-${sym("ratio", "\\varphi(W)")}\\,${A}\\,${LOGP}`,
        numbers: `-${sym("ratio", texMeasure(phi))}\\cdot ${sym("advantage", a)}\\cdot ${logp}`,
      };
    }
  }
}

/** Whether the loss has a factor that is held fixed where it is differentiated. */
export function holdsFixed({ surrogate, vespoFixedWeight }: RunConfig): boolean {
  return surrogate === "cispo" || (surrogate === "vespo" && vespoFixedWeight);
}

/** The policy's loss of a token as the loss and its gradient both name it; a mask can take it away. */
export function policyLossTex({ isUnmasked }: TokenUpdate, t = "t"): string {
  return `${isUnmasked ? "" : `${sym("mask", `m_{${t}}`)}\\,`}${sym("policy-loss", `\\ell_{${t}}`)}`;
}

/** The loss that one token adds: its weight times what the policy's loss and the KL come to. */
export function lossFormula(token: TokenStory, update: TokenUpdate): FilledFormula {
  const { config } = token.story;
  const logprob = trainLogprob(token);
  const { letters, numbers } = surrogateTerm(config, token, update, logprob);
  const weight = WEIGHTS[config.aggregation];
  const kl = lossKlCoef(config) > 0 && update.kl ? update.kl.nats : null;
  const klLetters = kl === null ? "" : ` + ${sym("beta", "\\beta")}\\,${sym("kl", "D_t")}`;
  const klNumbers = kl === null ? "" : ` + ${sym("beta", texSetting(config.klCoef))}\\cdot ${sym("kl", texFactor(kl))}`;
  const loss = policyLossTex(update);
  const policy = update.isUnmasked ? update.policyLoss : 0;
  const total = update.weight * (policy + (kl === null ? 0 : config.klCoef * kl));
  return {
    tex: `${sym("loss", "L_t")} = ${sym("weight", "w_t")}\\,${kl === null ? loss : `\\bigl[${loss}${klLetters}\\bigr]`},\\qquad ${sym("policy-loss", "\\ell_t")} = ${letters},\\qquad ${sym("weight", "w_t")} = ${weight.tex}`,
    numbers: `${sym("weight", texDigits(update.weight))}\\cdot\\Bigl[${update.isUnmasked ? numbers : `${sym("mask", "0")}\\cdot(${numbers})`}${klNumbers}\\Bigr]\\allowbreak = ${sym("loss", texDigits(total))}`,
    spoken: `The loss of the token is its weight ${measureText(update.weight)} times the policy loss ${measureText(policy)}${kl === null ? "" : ` plus the weighted KL ${measureText(config.klCoef * kl)}`}, which is ${measureText(total)}.`,
    symbols: {
      weight: `weight of the token, ${measureText(update.weight)}`,
      "policy-loss": `the policy's loss of the token, ${measureText(update.policyLoss)}`,
      mask: "a mask takes the policy's part of this token away",
      advantage: `advantage, ${measureText(token.facts.advantage ?? 0)}`,
      ratio: `ratio, ${measureText(update.ratio)}`,
      clip: "bounds of the clip, from the settings",
      "logp-train": `log-prob in training, ${measureText(logprob)}`,
      beta: `weight of the KL, ${measureText(config.klCoef)}`,
      ...(kl === null ? {} : { kl: `KL to the reference${config.klBiasCorrection ? " times the ratio" : ""}, ${measureText(kl)} nats` }),
      loss: `what the token adds to the loss, ${measureText(total)}`,
    },
  };
}

/** Log-prob of the token in the last training forward. */
export function trainLogprob({ trajectory, facts }: TokenStory): number {
  return trajectory.channels.trainLogprobs[facts.index] ?? Number.NaN;
}
