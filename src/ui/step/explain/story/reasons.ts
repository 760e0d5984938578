// Why a token moved, in sentences: each follows from the trainer's own figures and the settings in force.

import type { RunConfig } from "../../../../protocol/config.ts";
import { capital, measureText, shareMoved, signedMeasureText } from "../../../../protocol/quantities.ts";
import { baselineOf, usesCritic } from "../../../../rl/baselines/index.ts";
import { aggregationOf } from "../../../../rl/objective/aggregation.ts";
import { isOnPolicy } from "../../../../rl/objective/ratio.ts";
import { surrogateOf } from "../../../../rl/surrogates/index.ts";
import type { ExplainedPhase } from "../../../engine/store/selection.ts";
import { isAgainst } from "../../../kit/words/against.ts";
import { fromWords } from "../../../kit/words/arithmetic.ts";
import { comparedWith, phaseDoes } from "../../../kit/words/method.ts";
import { zeroSpreadSentence } from "../../rollouts/group/groupOrder.ts";
import { holdsFixed } from "../formulas/lossFormula.ts";
import { isCompared, type TokenStory, type TokenUpdate } from "./story.ts";

/** Why the clip holds a token or lets it go. */
export function clipReason(config: RunConfig, { facts }: Pick<TokenStory, "facts">): string {
  const { ratio, advantage, clipState } = facts;
  if (ratio === null || advantage === null || clipState === null) return "The token is not trained, so nothing can be clipped.";
  return surrogateOf(config).whyHeld({ ratio, advantage, clipState }, config);
}

/** Which way the update pushes a token, and what from, in one sentence; the answer to "why". */
export function pushSentence(token: TokenStory): string {
  const { facts, group, trajectory, story, update } = token;
  if (!facts.sampled) return "The policy did not say this token. It was inserted between two turns, and it is not trained.";
  if (!facts.trained) return "A mask leaves this token out, so it gets no push.";
  const { config } = story;
  if (!isCompared(story.step)) {
    const earned = trajectory.reward === null ? "" : `Its answer earned ${measureText(trajectory.reward)}. `;
    return `${earned}Its advantage is not computed yet: step ${story.step.step} has been through “${story.step.phase}”.`;
  }
  const than = comparedWith(config);
  const flat = zeroSpreadSentence(group, config);
  if (facts.advantage === 0 && flat) return flat;
  const mean = groupMean(token);
  const side = (facts.advantage ?? 0) > 0 ? "above" : "below";
  const from = usesCritic(config) ? "what came of it" : fromWords(config);
  const what =
    facts.advantage === 0
      ? "Its advantage is 0"
      : than
        ? `${capital(from)}${mean ? `, ${mean.from},` : ""} lies ${side} ${than.one}${mean ? `, ${mean.baseline}` : ""}, so its advantage is ${signedMeasureText(facts.advantage ?? 0)}`
        : `Its advantage is its reward, ${signedMeasureText(facts.advantage ?? 0)}`;
  if (!update) return trajectory.reward === null ? "Nothing could score this completion." : `${what}.`;
  if (update.gradient === 0) return `${what}, and in the last inner epoch nothing pushes it: ${lower(clipReason(config, token))}`;
  const way = update.gradient < 0 ? "up" : "down";
  const { oldLogprob: old, newLogprob: now } = facts;
  const isOther = old !== null && now !== null && isAgainst(-update.gradient, now - old);
  const other = isOther ? ` It ${way === "up" ? "fell" : "rose"} all the same; the last part, After, says what moved it.` : "";
  return `${what}, and the loss pushes it ${way}.${other}`;
}

/** The two numbers that are compared, where one mean of the group is what a completion's own reward is compared with. */
function groupMean({ facts, terms, story }: TokenStory): { readonly from: string; readonly baseline: string } | null {
  const { config } = story;
  // Whitened advantages may lie on the other side of 0 than the difference.
  if (!terms || facts.advantage === 0 || config.whitenAdvantages || baselineOf(config).from !== "group") return null;
  return { from: measureText(terms.from), baseline: measureText(terms.baseline) };
}

function lower(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

function lossReason({ story }: TokenStory, update: TokenUpdate): string {
  const { config, sequences, tokens } = story;
  const whole = `The step has ${sequences.toLocaleString("en")} completions with ${tokens.toLocaleString("en")} trained tokens.`;
  const mean =
    config.ratioLevel === "token" && isOnPolicy(config) && surrogateOf(config).ratio === "moves"
      ? " With ratios of 1 and advantages that add up to 0 the loss itself is near 0. The policy learns from its slope."
      : "";
  const masked = update.isUnmasked ? "" : " A mask removes the policy's part for this token.";
  const held = holdsFixed(config) ? " Whatever is inside sg(…) counts as fixed: no gradient goes through it." : "";
  return `Its weight is ${aggregationOf(config).words}. ${whole}${held}${masked}${mean}`;
}

function gradientReason({ facts, story }: TokenStory, update: TokenUpdate): string {
  const { config } = story;
  const way =
    update.gradient === 0
      ? "It is 0: nothing pushes the token."
      : `Lowering the loss moves the log-prob the other way: ${update.gradient < 0 ? "▲ up" : "▼ down"}.`;
  const cut =
    update.recorded !== null && Math.abs(update.recorded - update.gradient) > 1e-4 * Math.abs(update.gradient)
      ? ` The trainer wrote down ${measureText(update.recorded)}: it cut the step into ${config.minibatches > 1 ? `${config.minibatches} minibatches` : "parts"}, each divided by its own tokens.`
      : "";
  const entropy = config.entropyCoef === 0 ? "" : " The entropy bonus acts on the whole distribution and is added to this.";
  return `${way}${facts.advantage === 0 && update.gradient !== 0 ? " All of it comes from the KL." : ""}${entropy}${cut}`;
}

function afterReason({ facts, story }: TokenStory, update: TokenUpdate | null): string {
  const { oldLogprob: old, newLogprob: now, advantage } = facts;
  if (old === null || now === null) return "The log-probs after this update were not measured.";
  const moved = `${shareMoved(Math.exp(old), Math.exp(now))}.`;
  if (isAgainst(advantage, now - old))
    return `${moved} It moved against its advantage. All tokens of the step share one set of weights, so pushing the others moves this one too.`;
  const pushed =
    update && update.gradient !== 0
      ? ` The loss pushed it ${update.gradient < 0 ? "up" : "down"}; the optimizer (${story.config.optimizer === "adamw" ? "AdamW" : "SGD"}) and the other tokens decide how far.`
      : "";
  return `${moved}${pushed}`;
}

/** What a phase shows about the token, in words. */
export function phaseReason(id: ExplainedPhase, token: TokenStory): string {
  const { story, update, facts, trajectory, group } = token;
  const { config } = story;
  switch (id) {
    case "prompt":
      return `The policy answered this prompt ${group.trajectories.length} times: that is the group. The rules know the right answer, the policy is never told.`;
    case "group":
      return `${phaseDoes("sample", config)}${facts.sampledEntropy === null ? "" : ` This token's entropy was ${measureText(facts.sampledEntropy)} nats.`}`;
    case "reward":
      return trajectory.reward === null
        ? "Nothing could score this completion, so it trains nothing."
        : `${phaseDoes("score", config)} Every token of the answer shares its reward.`;
    case "advantage":
      return `${phaseDoes("advantage", config)} ${pushSentence({ ...token, update: null })}`;
    case "ratio":
      return `The probability in the last inner epoch${config.innerEpochs > 1 ? ` (of ${config.innerEpochs})` : ""} over the one it was sampled with. ${clipReason(config, token)}`;
    case "loss":
      return update ? lossReason(token, update) : "The token is not trained, so it adds nothing to the loss.";
    case "gradient":
      return update ? gradientReason(token, update) : "The token is not trained: its gradient is 0.";
    case "after":
      return afterReason(token, update);
  }
}
