// What the page shows beside its screen, from wherever that was asked for: one dialog at a time, the question to the model, the tour,
// code that waits to be allowed, a newer version of the page, and whether a link was copied.
import { create } from "zustand";

export type DialogName = "help" | "reset" | "restart" | "export" | "models" | "replay" | "palette" | "frame" | "share" | "before";

/** Code with what it is called. */
interface NamedCode {
  readonly name: string;
  readonly source: string;
}

interface DialogFacts {
  readonly open: DialogName | null;
  /** What the dialog "frame" shows. */
  readonly frame: { readonly title: string; readonly code: string };
  /** Whether the question to the model is open, and whether it asks at once. */
  readonly ask: { readonly isOpen: boolean; readonly asksAtOnce: boolean };
  /** `round` counts the tours: each begins anew, also where one is under way. */
  readonly tour: { readonly isOn: boolean; readonly round: number };
  /** Code that is to be read before it runs; none while nothing is asked. */
  readonly code: { readonly unread: readonly NamedCode[]; readonly answer: (isAllowed: boolean) => void };
  /** Counts what was read since the page was opened, for parts that wait for it. */
  readonly reads: number;
  /** A newer build that waits, and the tabs that still run this one, as it has counted them; null before it was asked. */
  readonly newer: { readonly waiting: ServiceWorker | null; readonly otherTabs: number | null };
  /** What came of the last copying of a link; null once that has been said for a while. */
  readonly copied: "copied" | "partial" | "refused" | null;
}

export type CopyOutcome = NonNullable<DialogFacts["copied"]>;

export const useDialog = create<DialogFacts>()(() => ({
  open: null,
  frame: { title: "", code: "" },
  ask: { isOpen: false, asksAtOnce: false },
  tour: { isOn: false, round: 0 },
  code: { unread: [], answer: () => {} },
  reads: 0,
  newer: { waiting: null, otherTabs: null },
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
