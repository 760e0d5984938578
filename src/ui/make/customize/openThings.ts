// What stands open on Customize as long as the page does: which reward and which judge, and the answers that rewards are tried with.
import { create } from "zustand";
import type { JudgedAnswer } from "../../../protocol/config/customRewards.ts";

interface OpenThings {
  /** The reward whose code is open, by name; the first where there is none of that name. */
  readonly reward: string | null;
  /** Why a reward's file was not opened. */
  readonly refusal: string | null;
  /** The judge that is open, in the same way. */
  readonly judge: string | null;
  /** Answers without a demand on the bench, by the name of the reward. */
  readonly tries: Readonly<Record<string, readonly JudgedAnswer[]>>;
}

export const useOpenThings = create<OpenThings>()(() => ({ reward: null, refusal: null, judge: null, tries: {} }));

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
