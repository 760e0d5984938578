// Single-key shortcuts: never while typing, and they can be switched off (WCAG 2.1.4).
import { useEffect } from "react";
import { pause, takeOne, trainOrAsk } from "../engine/actions.ts";
import { engine } from "../engine/client.ts";
import { redo, undo } from "../engine/draftActions.ts";
import { openDialog } from "../kit/dialog/dialogStore.ts";
import { usePreferences } from "../kit/remembered.ts";

/** Elements that have their own use for keys. */
const OWN_KEYS =
  "input, textarea, select, button, a, [contenteditable], [role=slider], [role=listbox], [role=option], [role=dialog], [tabindex]";

function isTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input:not([type=range]):not([type=checkbox]), textarea, [contenteditable], [role=dialog], [role=listbox]"))
    return true;
  // Space presses what has the focus; letters do not.
  return key === " " && target !== document.body && target.closest(OWN_KEYS) !== null;
}

/** What a key with Ctrl or Cmd does to the edits of the configuration, if anything. */
export function editOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): (() => void) | null {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = key.toLowerCase();
  if (letter === "z") return shiftKey ? redo : undo;
  return letter === "y" && !shiftKey ? redo : null;
}

/** A field of the configuration whose text is as it was: its undo is the draft's. */
function isUntouchedField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(".config .field") !== null && target.closest("[data-typing]") === null;
}

interface ShortcutTargets {
  readonly onReset: () => void;
  readonly onHelp: () => void;
  /** Whether the run's own controls are in sight; where they are not, no key moves the run. */
  readonly hasTransport: boolean;
  /** Whether the form is in sight: edits are not taken back where nobody sees it. */
  readonly hasForm: boolean;
}

/** Listens while mounted. */
export function useShortcuts({ onReset, onHelp, hasTransport, hasForm }: ShortcutTargets): void {
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      // An editor has its text in a tree of its own, and its keys come as from around it.
      const typing = isTaken(event.composedPath()[0] ?? event.target, event.key);
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openDialog("palette");
        return;
      }
      const changeBack = hasForm && (!typing || isUntouchedField(event.target)) ? editOf(event) : null;
      if (changeBack) {
        event.preventDefault();
        changeBack();
        return;
      }
      if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !usePreferences.getState().shortcuts) return;
      const { state } = engine.view.facts.getState();
      const { status } = engine.facts.getState();
      if (event.key === "?") onHelp();
      else if (!hasTransport) return;
      else if (status !== "ready" && status !== "quiet") return;
      else if (event.key === " ") state === "running" ? pause() : trainOrAsk();
      else if (event.key === "s") takeOne("step");
      else if (event.key === "p") takeOne("phase");
      else if (event.key === "r") onReset();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", act);
    return () => window.removeEventListener("keydown", act);
  }, [onReset, onHelp, hasTransport, hasForm]);
}
