// The channels a token can be coloured by: a registry. Adding one is adding an entry here; legend,
// token card, menus, strip and export follow from it.
import { measureText, sharesBeside, signedMeasureText } from "../../../protocol/quantities.ts";
import { RATIO_NOISE } from "../../../rl/objective/ratio.ts";
import { formatNumber, formatSigned } from "../../kit/charts/format.ts";
import type { TermId } from "../../kit/words/glossary.ts";
import { tokenText } from "../../kit/words/terms/tokenTerms.ts";
import type { TokenFacts } from "./tokenFacts.ts";

/**
 * How a channel is drawn. Diverging: blue above zero, vermillion below. Sequential: one hue, deeper is
 * more. Presence: trained or not, shown by the hatch alone.
 */
export type ChannelScale = "diverging" | "sequential" | "presence";

export interface TokenChannel {
  readonly id: string;
  readonly title: string;
  readonly symbol: string;
  readonly unit?: string;
  readonly help: string;
  /** The word of the glossary that it is; null where there is none. */
  readonly word: TermId | null;
  readonly scale: ChannelScale;
  /** What is shown as the number; null where it is not known. */
  readonly value: (token: TokenFacts) => number | null;
  /** What is coloured, 0 at the neutral point; the shown value where left out. */
  readonly level?: (token: TokenFacts) => number | null;
  /** Levels no larger are rounding errors and count as 0. */
  readonly noise?: number;
  readonly format: (value: number) => string;
  /** Only where there is a critic. */
  readonly ofCritic?: true;
  /** Only where the model tells entropies: a server does not. */
  readonly ofEntropies?: true;
  /** Only where sampler and trainer differ somewhere. */
  readonly ofGap?: true;
  /** Why the value can be missing. */
  readonly missing: string;
}

export const TOKEN_CHANNELS: readonly TokenChannel[] = [
  {
    id: "advantage",
    title: "Advantage",
    symbol: "A",
    help: tokenText("advantage"),
    word: "advantage",
    scale: "diverging",
    value: (token) => token.advantage,
    format: signedMeasureText,
    missing: "the token is not trained, or advantages are not computed yet",
  },
  {
    id: "change",
    title: "Change of log-prob",
    symbol: "Δ log p",
    unit: "nats",
    help: tokenText("change"),
    word: "change",
    scale: "diverging",
    value: (token) => (token.newLogprob === null || token.oldLogprob === null ? null : token.newLogprob - token.oldLogprob),
    format: signedMeasureText,
    missing: "not measured for this step",
  },
  {
    id: "ratio",
    title: "Ratio",
    symbol: "ρ",
    help: "Probability in the last inner epoch divided by the probability when sampled. With one inner epoch it is always 1. An outline means clipped.",
    word: "ratio",
    scale: "diverging",
    value: (token) => token.ratio,
    level: (token) => (token.ratio === null ? null : Math.log(token.ratio)),
    noise: RATIO_NOISE,
    format: (value) => formatNumber(value, 4),
    missing: "the token is not trained, or the update has not run",
  },
  {
    id: "trainer-gap",
    title: "Trainer minus sampler",
    symbol: "log ρ",
    unit: "nats",
    help: tokenText("trainer-gap"),
    word: "trainer-gap",
    scale: "diverging",
    value: (token) => token.trainerGap,
    noise: RATIO_NOISE,
    format: signedMeasureText,
    ofGap: true,
    missing: "the token is not trained, or one of the two did not tell it",
  },
  {
    id: "loss-weight",
    title: "Push",
    symbol: "−∂L/∂log p",
    help: tokenText("push"),
    word: "push",
    scale: "diverging",
    // The recorded weight is dLoss / dLog-prob: descending the loss moves the token the other way.
    value: (token) => (token.lossWeight === null ? null : 0 - token.lossWeight),
    format: (value) => formatSigned(value),
    missing: "the token is not trained, or the update has not run",
  },
  {
    id: "logprob",
    title: "Log-prob",
    symbol: "log p",
    unit: "nats",
    help: "Log-probability when the token was sampled; deeper colour means more surprising.",
    word: "logprob",
    scale: "sequential",
    value: (token) => token.oldLogprob,
    level: (token) => (token.oldLogprob === null ? null : -token.oldLogprob),
    format: measureText,
    missing: "the policy did not sample it",
  },
  {
    id: "entropy",
    title: "Entropy",
    symbol: "H",
    unit: "nats",
    help: tokenText("entropy"),
    word: "entropy",
    scale: "sequential",
    value: (token) => token.sampledEntropy,
    format: measureText,
    ofEntropies: true,
    missing: "the policy did not sample it",
  },
  {
    id: "train-entropy",
    title: "Entropy in training",
    symbol: "H′",
    unit: "nats",
    help: tokenText("train-entropy"),
    word: "train-entropy",
    scale: "sequential",
    value: (token) => token.trainEntropy,
    format: measureText,
    ofEntropies: true,
    missing: "the policy did not sample it, or the update has not run",
  },
  {
    id: "kl",
    title: "KL to reference",
    symbol: "D",
    unit: "nats",
    help: tokenText("kl"),
    word: "kl",
    scale: "sequential",
    value: (token) => token.klNats,
    level: (token) => (token.klNats === null ? null : Math.abs(token.klNats)),
    format: measureText,
    missing: "no reference log-prob",
  },
  {
    id: "value",
    title: "Critic’s value",
    symbol: "V",
    help: "The reward that the critic predicts from here on, read when the answers were scored: above 0 is good, below 0 is bad.",
    word: "critic",
    scale: "diverging",
    value: (token) => token.criticValue,
    format: signedMeasureText,
    ofCritic: true,
    missing: "no critic has seen it",
  },
  {
    id: "td-error",
    title: "TD error",
    symbol: "δ",
    help: "The reward here plus the critic's prediction at the next token, minus its prediction here. Above 0 it went better than predicted.",
    word: null,
    scale: "diverging",
    value: (token) => token.tdError,
    format: signedMeasureText,
    ofCritic: true,
    missing: "the token is not trained, or advantages are not computed yet",
  },
  {
    id: "mask",
    title: "Mask",
    symbol: "m",
    help: tokenText("mask"),
    word: "mask",
    scale: "presence",
    value: (token) => (token.trained ? 1 : 0),
    format: (value) => (value === 1 ? "1, trained" : "0, not trained"),
    missing: "not measured",
  },
];

/** The channel with this id, or the first one. */
export function tokenChannel(id: string): TokenChannel {
  return TOKEN_CHANNELS.find((channel) => channel.id === id) ?? TOKEN_CHANNELS[0]!;
}

/** The number that decides a token's colour; null without one. */
export function channelLevel(channel: TokenChannel, token: TokenFacts): number | null {
  const level = (channel.level ?? channel.value)(token);
  return level !== null && Math.abs(level) <= (channel.noise ?? 0) ? 0 : level;
}

/** Value with its unit, or why there is none. */
export function channelText(channel: TokenChannel, token: TokenFacts): string {
  const value = channel.value(token);
  if (value === null || Number.isNaN(value)) return `none: ${channel.missing}`;
  return channel.unit ? `${channel.format(value)} ${channel.unit}` : channel.format(value);
}

/** A token's probability when it was sampled and after the update, told apart. */
export function chainTexts({ oldLogprob, newLogprob }: TokenFacts): readonly string[] {
  const known = [oldLogprob, newLogprob].flatMap((logprob) => (logprob === null ? [] : [Math.exp(logprob)]));
  return sharesBeside(known);
}

/** The channels that a completion can be coloured by: those of a critic where it has one, entropies where its model tells them. */
/** @param isTraced whether another program wrote the tokens: what its files have of none of them is no channel. */
export function channelsOf(tokens: readonly TokenFacts[], isTraced = false): readonly TokenChannel[] {
  const hasCritic = tokens.some(({ criticValue }) => criticValue !== null);
  const hasEntropies = tokens.some(({ tellsEntropies }) => tellsEntropies);
  const isApart = tokens.some(({ isApart }) => isApart);
  return TOKEN_CHANNELS.filter(
    ({ ofCritic, ofEntropies, ofGap, value }) =>
      (hasCritic || !ofCritic) &&
      (hasEntropies || !ofEntropies) &&
      (isApart || !ofGap) &&
      (!isTraced || tokens.some((token) => value(token) !== null)),
  );
}
