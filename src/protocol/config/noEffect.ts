// When a field changes nothing, as data: forms say so beside the field, because an option that is
// silently ignored is the easiest way to fool oneself.
import { baselineIds } from "../../rl/baselines/index.ts";

type Value = string | number | boolean;
/** That value, one of a list, or any but one. */
export type Wanted = Value | readonly Value[] | { readonly not: Value };

export interface NoEffect {
  /** Values that other fields must have, all of them; "task.fixedLength" and the like are facts of the task. */
  readonly when: Readonly<Record<string, Wanted>>;
  /** Why nothing changes then; completes "has no effect: ...". */
  readonly why: string;
}

function isWanted(wanted: Wanted, value: unknown): boolean {
  if (typeof wanted !== "object") return value === wanted;
  return "not" in wanted ? value !== wanted.not : wanted.some((each) => each === value);
}

/** Whether a condition holds for these values. */
export function holds({ when }: NoEffect, values: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(when).every(([name, wanted]) => isWanted(wanted, values[name]));
}

/** Conditions that several fields share. */
export const SUPERVISED: NoEffect = { when: { kind: "supervised" }, why: "used by reinforcement learning only" };
export const REINFORCEMENT: NoEffect = { when: { kind: "reinforcement" }, why: "used by supervised training only" };
export const TABULAR: NoEffect = { when: { model: "tabular" }, why: "the tabular policy needs no tensor backend" };
export const ON_SERVER: NoEffect = { when: { backend: "tinker" }, why: "the server decides it" };
export const FIXED_LENGTH: NoEffect = {
  when: { "task.fixedLength": true },
  why: "the task's own length says how many tokens there are",
};
export const WITH_CRITIC = { advantageBaseline: baselineIds({ withCritic: true }) };
export const WITHOUT_CRITIC: NoEffect = { when: { advantageBaseline: baselineIds({ withCritic: false }) }, why: "there is no critic" };
/** One optimizer step per batch: the policy that is trained is the one that sampled. */
export const ON_POLICY = { innerEpochs: 1, minibatches: 1 } as const;

export const NO_EVALUATION: NoEffect = { when: { evalEvery: 0 }, why: "there are no evaluations" };
