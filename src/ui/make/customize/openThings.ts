// What stands open on Customize as long as the page does: which reward and which judge, the answers that rewards are tried with, and
// the first step of a run that was tried.
import { create } from "zustand";
import type { JudgedAnswer } from "../../../protocol/config/customRewards.ts";
import type { TriedStep } from "../../../protocol/custom/tried.ts";
import type { EventBodies } from "../../../protocol/messages.ts";
import type { FirstStep } from "../../../rl/diagnosis/firstStep.ts";

/** The first step of a run that is tried before it starts, or was last. */
interface TriedFirst {
  /** What of its configuration decides the answers and what they earn; "" for none. */
  readonly of: string;
  /** How far it is; null where none goes on. */
  readonly going: EventBodies["asking"] | null;
  readonly tried: { readonly step: TriedStep; readonly judged: FirstStep } | null;
  readonly problem: string | null;
}

interface OpenThings {
  /** The reward whose code is open, by name; the first where there is none of that name. */
  readonly reward: string | null;
  /** Why a reward's file was not opened. */
  readonly refusal: string | null;
  /** The judge that is open, in the same way. */
  readonly judge: string | null;
  /** Answers without a demand on the bench, by the name of the reward. */
  readonly tries: Readonly<Record<string, readonly JudgedAnswer[]>>;
  readonly first: TriedFirst;
}

export const useOpenThings = create<OpenThings>()(() => ({
  reward: null,
  refusal: null,
  judge: null,
  tries: {},
  first: { of: "", going: null, tried: null, problem: null },
}));

export function openReward(reward: string): void {
  useOpenThings.setState({ reward });
}

export function openJudge(judge: string): void {
  useOpenThings.setState({ judge });
}

/** Puts answers on the bench of a reward. */
export function putTries(reward: string, answers: readonly JudgedAnswer[]): void {
  useOpenThings.setState(({ tries }) => ({ tries: { ...tries, [reward]: answers } }));
}

/** Says why a reward's file was not opened; null where it was. */
export function refuseReward(refusal: string | null): void {
  useOpenThings.setState({ refusal });
}

/** Says how far the trying of a first step is, and what came of it. */
export function noteFirst(change: Partial<TriedFirst>): void {
  useOpenThings.setState(({ first }) => ({ first: { ...first, ...change } }));
}

export const useTriedFirst = (): TriedFirst => useOpenThings((facts) => facts.first);
