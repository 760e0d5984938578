// Code that somebody begins to write here, from a starter or from a template: whoever writes it has read it, and the keyboard goes into
// the editor once that is there. Who chose with a finger or a mouse would have the page scrolled, and a phone its keyboard opened.
import { noteTyped } from "../../engine/sourcesRead.ts";
import { freeOfLibrary } from "./library/libraryStore.ts";
import { addOwn, wholeReward } from "./reward/ownRewards.ts";
import { rewardStarters } from "./reward/starters.ts";

/** Whether the editor that opens next takes the focus. */
let takesFocus = false;

/** Notes that an editor is about to open; it takes the focus where the choice was made with the keyboard, which menus mark. */
export function expectEditor(): void {
  takesFocus = document.activeElement?.hasAttribute("data-focus-visible") ?? false;
}

/** Whether the editor that opens takes the focus; true once for each wish. */
export function takeCodeFocus(): boolean {
  const taken = takesFocus;
  takesFocus = false;
  return taken;
}

/** Begins a reward of one's own. Returns the name it has in the draft; null where there is no such starter. */
export function beginReward(starterId: string): string | null {
  const starter = rewardStarters.find(({ id }) => id === starterId);
  if (!starter) return null;
  noteTyped(starter.source);
  expectEditor();
  const { title, source, options } = starter;
  const reward = { title, source, ...(options ? { options } : {}) };
  return addOwn("customRewards", reward, freeOfLibrary("reward", starter.id, wholeReward(reward)));
}
