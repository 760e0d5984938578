// What moved a token, as lines and sentences: the shares that were measured on a copy, in the order of the update.

import type { Attribution } from "../../../../protocol/asked.ts";
import type { RunConfig } from "../../../../protocol/config.ts";
import {
  capital,
  counted,
  measureWith,
  shareMoved,
  shareText,
  signedMeasureText,
  signedMeasureWith,
} from "../../../../protocol/quantities.ts";
import { usesCritic } from "../../../../rl/baselines/index.ts";
import { isKlOverRows } from "../../../../rl/kl/index.ts";
import { asShown, handDigits } from "../../../kit/words/arithmetic.ts";

/** One share of the change, in nats. */
export interface ShareLine {
  readonly id: string;
  readonly title: string;
  readonly nats: number;
}

/**
 * Below both a share is not worth a line: in nats, and of all shares whichever way they go. What all of these are
 * together is one, unless digits hide it.
 */
const LEAST = { nats: 5e-4, share: 0.05, rounding: 1e-4 };

/** What beside tokens' pushes the gradient holds under these settings. */
function othersTitle(config: RunConfig): string {
  const { entropyCoef, criticTrunk, klCoef } = config;
  const forces = [
    ...(entropyCoef === 0 ? [] : ["the entropy bonus"]),
    ...(usesCritic(config) && criticTrunk === "shared" ? ["the critic’s own loss"] : []),
    ...(klCoef > 0 && isKlOverRows(config) ? ["the exact KL"] : []),
  ];
  const text = forces.length === 0 ? "rounding of the pushes" : forces.join(" and ");
  return capital(text);
}

/** All shares, whichever way they go, in nats. */
const sizeOf = (lines: readonly ShareLine[]): number => lines.reduce((sum, { nats }) => sum + Math.abs(nats), 0);

function allLines(found: Attribution, config: RunConfig): readonly ShareLine[] {
  return [
    { id: "own", title: "Its own push", nats: found.own },
    { id: "sameAnswer", title: "Pushes on the other tokens of this answer", nats: found.sameAnswer },
    { id: "sameGroup", title: "Pushes on the other answers to this prompt", nats: found.sameGroup },
    { id: "otherGroups", title: "Pushes on answers to other prompts", nats: found.otherGroups },
    { id: "momentum", title: "Adam’s momentum, from earlier steps", nats: found.momentum },
    { id: "decay", title: "Weight decay", nats: found.decay },
    { id: "others", title: othersTitle(config), nats: found.others },
    { id: "rest", title: "Rounding of the measurement", nats: found.rest },
  ];
}

/** The shares that add up to the change; the small ones are one line, but for the token's own push. */
export function shareLines(found: Attribution, config: RunConfig): readonly ShareLine[] {
  const lines = allLines(found, config);
  const least = Math.min(LEAST.nats, LEAST.share * sizeOf(lines));
  const isShown = ({ id, nats }: ShareLine) => id === "own" || Math.abs(nats) >= least;
  const small = lines.filter((line) => line.nats !== 0 && !isShown(line)).reduce((sum, { nats }) => sum + nats, 0);
  const shown = lines.filter((line) => line.id === "own" || (line.nats !== 0 && isShown(line)));
  return Math.abs(small) < LEAST.rounding * sizeOf(shown)
    ? shown
    : [...shown, { id: "small", title: "What is less than these, together", nats: small }];
}

/** What moved the token furthest, and what part of all that moved it Adam's momentum is. */
export function movedSentence(found: Attribution, config: RunConfig): string {
  const { old, change, own, momentum, sameToken } = found;
  const lines = shareLines(found, config);
  const [most] = lines.toSorted((a, b) => Math.abs(b.nats) - Math.abs(a.nats));
  const now = old + change;
  const { of, result } = handDigits(change, (decimals) => asShown(now, decimals) - asShown(old, decimals));
  const went = `its log-prob went from ${measureWith(old, of)} to ${measureWith(now, of)}`;
  const moved = `${shareMoved(Math.exp(old), Math.exp(now))}: ${went}, a change of ${signedMeasureWith(change, result)} nats.`;
  const self = own === 0 ? "Nothing pushed the token itself." : `Its own push alone would have moved it by ${signedMeasureText(own)} nats.`;
  const against =
    own !== 0 && own * change < 0 && most && most.nats * change > 0
      ? ` The strongest force the other way is “${most.title}” (${signedMeasureText(most.nats)}).`
      : "";
  const same =
    sameToken.count === 0
      ? ""
      : ` The same token is pushed at ${counted(sameToken.count, "other place")}, which moved this one by ${signedMeasureText(sameToken.nats)} nats.`;
  const adam =
    config.optimizer !== "adamw"
      ? ""
      : momentum === 0
        ? " Adam had no momentum of earlier steps yet."
        : ` Adam’s momentum is ${shareText(Math.abs(momentum) / sizeOf(allLines(found, config)))} of all that moved it, either way.`;
  return `${moved} ${self}${against}${same}${adam}`;
}

/** The question that a token's own movement raises. @param change measured change of its log-prob, null without. */
export function movedQuestion(push: number, change: number | null): string {
  if (change === null || change === 0 || push === 0 || push * change > 0) return "What moved this token?";
  return change > 0 ? "Why did it rise although it was pushed down?" : "Why did it fall although it was pushed up?";
}
