// What the page shows beside its screen, from wherever that was asked for: one dialog at a time, the question to the model, the tour,
// and whether a link was copied.
import { create } from "zustand";

export type DialogName = "help" | "reset" | "restart" | "export" | "models" | "replay" | "palette" | "frame" | "share" | "before";

interface DialogFacts {
  readonly open: DialogName | null;
  /** What the dialog "frame" shows. */
  readonly frame: { readonly title: string; readonly code: string };
  /** Whether the question to the model is open, and whether it asks at once. */
  readonly ask: { readonly isOpen: boolean; readonly asksAtOnce: boolean };
  /** `round` counts the tours: each begins anew, also where one is under way. */
  readonly tour: { readonly isOn: boolean; readonly round: number };
  /** What came of the last copying of a link; null once that has been said for a while. */
  readonly copied: "copied" | "partial" | "refused" | null;
}

export type CopyOutcome = NonNullable<DialogFacts["copied"]>;

export const useDialog = create<DialogFacts>()(() => ({
  open: null,
  frame: { title: "", code: "" },
  ask: { isOpen: false, asksAtOnce: false },
  tour: { isOn: false, round: 0 },
  copied: null,
}));

export function openDialog(open: DialogName): void {
  useDialog.setState({ open });
}

export function closeDialog(): void {
  useDialog.setState({ open: null });
}

export function changeAsk(change: Partial<DialogFacts["ask"]>): void {
  useDialog.setState(({ ask }) => ({ ask: { ...ask, ...change } }));
}

export function startTour(): void {
  useDialog.setState(({ tour }) => ({ tour: { isOn: true, round: tour.round + 1 } }));
}

export function endTour(): void {
  useDialog.setState(({ tour }) => ({ tour: { ...tour, isOn: false } }));
}
