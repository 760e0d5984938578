// The stops of the tour: from the first screen to a token's numbers. Each is left by doing what it says, so the
// stop follows from what is on the page; only the furthest one is kept, since a tour does not go back. Pure.
import type { RunConfig } from "../../../protocol/config.ts";
import type { RunState } from "../../../protocol/messages.ts";
import type { Screen } from "../../engine/route.ts";

export type StopId = "train" | "wait" | "group" | "token" | "done" | "supervised" | "failed";

export interface TourFacts {
  readonly screen: Screen;
  /** The first screen says itself what to press. */
  readonly isLanding: boolean;
  readonly state: RunState;
  readonly kind: RunConfig["kind"];
  /** Whether a group has come as far as its advantages. */
  readonly hasGroup: boolean;
  readonly hasToken: boolean;
}

export interface Stop {
  readonly id: StopId;
  readonly title: string;
  readonly text: string;
  /** Place among the stops, from 1. */
  readonly place: number;
  /** What is to be pressed or looked at. */
  readonly target: string;
}

export const LAST_PLACE = 4;

export const STOPS: Readonly<Record<StopId, Omit<Stop, "id">>> = {
  train: {
    place: 1,
    title: "Press Train",
    text: "A small language model learns on this page. It answers each question several times and learns how good each answer was, but never sees the right answer.",
    target: ".transport-train",
  },
  wait: { place: 2, title: "The first answers are on their way", text: "A group is all the answers to one question.", target: ".phases" },
  group: {
    place: 2,
    title: "Open an answer",
    text: "These are the answers to one question. Their rewards become advantages: above 0, ▲, makes an answer likelier, below 0, ▼, less likely. If all answers earned the same, all advantages are 0. Press an answer.",
    target: ".train-group .rows",
  },
  token: {
    place: 3,
    title: "Press a token",
    text: "One answer, token by token. The colour is the advantage: which way the update pushed.",
    target: ".trajectory .tokens",
  },
  done: {
    place: 4,
    title: "That is the loop",
    text: "The card says how likely this token was when it was sampled, and how hard and which way it was pushed. The run goes round this loop, step after step.",
    target: ".token-card header",
  },
  supervised: {
    place: 2,
    title: "Worked examples have no answers to open",
    text: "This preset copies them. Choose another preset, such as Boxed arithmetic, and press Train.",
    target: "[data-field=preset]",
  },
  failed: {
    place: 2,
    title: "The run did not start",
    text: "What went wrong stands above. Press Train to try again.",
    target: ".transport-train",
  },
};

/** What is to be done with what is on the page; null on a screen that is no part of the tour. */
function stopFor({ screen, isLanding, state, kind, hasGroup, hasToken }: TourFacts): StopId | null {
  if (screen !== "train" && screen !== "rollouts") return null;
  if (screen === "rollouts" && hasGroup) return hasToken ? "done" : "token";
  if (state === "idle") return isLanding ? null : "train";
  if (state === "failed") return "failed";
  if (kind === "supervised") return "supervised";
  return hasGroup ? "group" : "wait";
}

/** Order of the stops; those of one rank take turns. */
const RANKS: Readonly<Record<StopId, number>> = { train: 0, wait: 1, failed: 1, supervised: 1, group: 2, token: 3, done: 4 };

/**
 * Where the tour is, from the furthest stop that it has reached: never at an earlier one. Null while there is nothing to do for it,
 * where the visitor is elsewhere or has gone back; over once the last stop is left.
 */
export function stopAfter(reached: StopId | null, facts: TourFacts): StopId | "over" | null {
  if (reached === "done") return facts.screen === "rollouts" ? "done" : "over";
  const stop = stopFor(facts);
  return stop !== null && reached !== null && RANKS[stop] < RANKS[reached] ? null : stop;
}
