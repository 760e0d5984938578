// Along what runs are compared. A step is not the same work for all: one algorithm updates once in it,
// another four times, and one policy writes longer answers than another.
import type { RunConfig } from "../../protocol/config.ts";
import type { Points } from "../verdict/history.ts";
import { lowerBound, valueBefore } from "./curve.ts";

export const AXES = {
  steps: { title: "Steps", one: "step", many: "steps", explains: "A step samples answers once and learns from them." },
  tokens: {
    title: "Tokens",
    one: "token",
    many: "tokens",
    explains: "Tokens of prompts and answers used in training so far. Each counts once, however many inner epochs use it.",
  },
  updates: {
    title: "Updates",
    one: "update",
    many: "updates",
    explains: "Optimizer steps of the policy so far: inner epochs times minibatches in each step.",
  },
} as const;

export type Axis = keyof typeof AXES;

/** How somebody wants runs to be compared. */
export interface Reading {
  readonly axis: Axis;
  /** By the id of a measure; null is the usual one of these runs. */
  readonly measure: string | null;
  /** Null proposes one. */
  readonly target: number | null;
  /** Whether one difference for each seed is looked at, where combinations have the same seeds. */
  readonly isPaired: boolean;
}

export const USUAL_READING: Reading = { axis: "steps", measure: null, target: null, isPaired: false };

/** A place on an axis in words: "step 30", "30 updates", "12k tokens". */
export function placeText(axis: Axis, place: number): string {
  const count = shortCount(place);
  return axis === "steps" ? `step ${count}` : `${count} ${place === 1 ? AXES[axis].one : AXES[axis].many}`;
}

/** A count with at most three digits that matter, once it is large: 950, 12.3k. */
export function shortCount(count: number): string {
  if (count >= 999_500) return `${Number((count / 1e6).toPrecision(3))}M`;
  if (count >= 10_000) return `${Number((count / 1e3).toPrecision(3))}k`;
  return String(Number(count.toFixed(count < 100 && !Number.isInteger(count) ? 1 : 0)));
}

type Passes = Pick<RunConfig, "innerEpochs" | "minibatches" | "promptsPerStep" | "groupSize">;

/** Optimizer steps of the policy in one step: each pass cuts the batch into minibatches, of one completion at least. */
export function updatesPerStep({ innerEpochs, minibatches, promptsPerStep, groupSize }: Passes): number {
  return innerEpochs * Math.min(minibatches, promptsPerStep * groupSize);
}

/** Optimizer steps of the policy after so many steps, changes on the way included. */
function updatesAfter(config: RunConfig, step: number): number {
  let updates = 0;
  let done = 0;
  let now = config as Passes;
  for (const { afterStep, settings } of [...config.changes].sort((a, b) => a.afterStep - b.afterStep)) {
    const until = Math.min(step, afterStep);
    if (until > done) [updates, done] = [updates + (until - done) * updatesPerStep(now), until];
    now = { ...now, ...settings };
  }
  return updates + (step - done) * updatesPerStep(now);
}

/**
 * Where the steps of a run lie on an axis.
 * @param tokens the run's count of tokens after its steps ("num_tokens").
 * @returns a function of the step; NaN where the tokens of that step are not known.
 */
export function placesOf(axis: Axis, config: RunConfig, tokens: Points): (step: number) => number {
  if (axis === "steps") return (step) => step;
  if (axis === "updates") return (step) => updatesAfter(config, step);
  // Of long runs not every step is kept; between two that are, tokens grow evenly.
  const curve = { xs: [0, ...Array.from(tokens.steps)], ys: [0, ...Array.from(tokens.values)] };
  return (step) => {
    const after = lowerBound(curve.xs, step);
    return after === curve.xs.length ? Number.NaN : valueBefore(curve, after, step);
  };
}
