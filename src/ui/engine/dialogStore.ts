// Which dialog stands over the page: one at a time, opened from anywhere.
import { create } from "zustand";
import { forgetsMuch, nextAction, offerModelsBy, reset, restartWithChanges, train } from "./actions.ts";
import { engine } from "./client.ts";

export type DialogName = "help" | "reset" | "restart" | "export" | "models" | "replay" | "palette" | "frame" | "share";

export const useDialog = create<{ readonly open: DialogName | null }>()(() => ({ open: null }));

export function openDialog(open: DialogName): void {
  useDialog.setState({ open });
}

offerModelsBy(() => openDialog("models"));

export function closeDialog(): void {
  useDialog.setState({ open: null });
}

/** Asks before a run is forgotten that has taken a step, since its save goes with it. */
export function resetOrAsk(): void {
  const { state, step } = engine.view.facts.getState();
  if (state === "idle") return;
  if (step > 0) openDialog("reset");
  else reset();
}

/** Starts what the form describes in the place of the run on screen; asks where there is much of that. */
export function restartOrAsk(): void {
  if (forgetsMuch()) openDialog("restart");
  else restartWithChanges();
}

/** What the button of a run says, after a question where that would put another run in its place. */
export function trainOrAsk(): void {
  if (nextAction().does === "start" && forgetsMuch()) openDialog("restart");
  else train();
}

/** Whether the question to the model is open, and whether it asks at once. */
export const useAsk = create<{ readonly isOpen: boolean; readonly asksAtOnce: boolean }>()(() => ({ isOpen: false, asksAtOnce: false }));
