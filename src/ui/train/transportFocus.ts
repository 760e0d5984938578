// Where the focus goes when what had it goes away: to the controls of the run, which are always there.
// A button that vanished under the keyboard would leave it at the top of the page.
import { useEffect } from "react";
import type { RunState } from "../../protocol/messages.ts";

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
 * working: Train and Pause to each other, Reset to Train. A run that ends by itself moves nothing.
 */
export function useTransportFocus(state: RunState): void {
  useEffect(() => {
    if (state === "running" && isFocused("train")) focusTransport("pause");
    else if (state === "paused" && isFocused("pause")) focusTransport("train");
    else if (state === "idle" && isFocused("reset")) focusTransport("train");
  }, [state]);
}
