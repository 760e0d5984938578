// Which dialog stands over the page: one at a time, opened from anywhere.
import { create } from "zustand";
import { forgetsMuch, hasRun, nextAction, reset, restartWithChanges, train } from "../actions.ts";

export type DialogName = "help" | "reset" | "restart" | "saves" | "palette";

export const useDialog = create<{ readonly open: DialogName | null }>()(() => ({ open: null }));

export function openDialog(open: DialogName): void {
  useDialog.setState({ open });
}

export function closeDialog(): void {
  useDialog.setState({ open: null });
}

/** Forgets the run at once where little is lost, and asks otherwise. */
export function resetOrAsk(): void {
  if (!hasRun()) return;
  if (forgetsMuch()) openDialog("reset");
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
