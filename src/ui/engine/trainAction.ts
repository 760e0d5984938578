// What the button of a run does next, and so what it says; and where the focus goes when what had it goes away: to the
// controls of the run, which are always there. A button that vanished under the keyboard would leave it at the top of the page.

import { useEffect } from "react";
import type { RunState } from "../../protocol/messages.ts";
import type { RunFacts } from "./store/runFacts.ts";

export type TrainAction =
  | { readonly does: "start" | "resume"; readonly label: string }
  | { readonly does: "extend"; readonly label: string; readonly more: number };

type Position = Pick<RunFacts, "state" | "runId" | "step" | "config">;

/** Whether the run has taken all the steps it was given. */
export function isAtLimit({ config, step }: Pick<RunFacts, "config" | "step">): boolean {
  return config !== null && config.steps > 0 && step >= config.steps;
}

interface FormFacts {
  /** The form describes another kind of run than the one on screen. */
  readonly isOther: boolean;
  /** How many steps a run is given; null without a run. */
  readonly steps: number | null;
}

/** Starts, goes on, or adds as many steps as a run is given. */
export function trainAction({ state, runId, step, config }: Position, { isOther, steps }: FormFacts): TrainAction {
  // While it trains the button rests under its usual name.
  if (state === "idle" || state === "running" || state === "preparing" || runId === null || !config)
    return { does: "start", label: "Train" };
  if (state === "failed") return { does: "start", label: isOther ? "Start the next run" : "Run again" };
  if (state === "finished" && isOther) return { does: "start", label: "Start the next run" };
  if (isAtLimit({ config, step })) {
    const more = steps || config.steps;
    return { does: "extend", label: `Continue ${more} more`, more };
  }
  if (state !== "finished") return { does: "resume", label: "Train" };
  return { does: "resume", label: config.steps > 0 ? `Continue ${config.steps - step} more` : "Continue" };
}

/** Steps, and seconds of training, after which a run is not given up without a question. */
const MANY_STEPS = 20;
const MANY_SECONDS = 30;

/** Whether much is lost with a run that has come so far; steps alone say little, since one can take a minute. */
export function isMuch(step: number, stepSeconds: ArrayLike<number>): boolean {
  let seconds = 0;
  for (let i = 0; i < stepSeconds.length; i++) seconds += stepSeconds[i]!;
  return step > MANY_STEPS || seconds >= MANY_SECONDS;
}

/** The classes by which the controls are found. */
export const TRANSPORT = { train: "transport-train", pause: "transport-pause", step: "transport-step", reset: "transport-reset" } as const;

/** Puts the focus on one of the controls of the run. */
export function focusTransport(control: keyof typeof TRANSPORT): void {
  document.querySelector<HTMLElement>(`.${TRANSPORT[control]}`)?.focus();
}

function isFocused(control: keyof typeof TRANSPORT): boolean {
  return document.activeElement?.classList.contains(TRANSPORT[control]) ?? false;
}

/**
 * Hands the focus from a control that has done its work to the one that undoes it, so that Space goes on
 * working: Train and Pause to each other, Reset to Train. A run that ends by itself moves nothing. With the next frame: to give
 * the focus the browser lays out all that has just changed, which it would do then anyway.
 */
export function useTransportFocus(state: RunState): void {
  useEffect(() => {
    const handOn = () => {
      if (state === "running" && isFocused("train")) focusTransport("pause");
      else if (state === "paused" && isFocused("pause")) focusTransport("train");
      else if (state === "idle" && isFocused("reset")) focusTransport("train");
    };
    const frame = requestAnimationFrame(handOn);
    return () => cancelAnimationFrame(frame);
  }, [state]);
}
