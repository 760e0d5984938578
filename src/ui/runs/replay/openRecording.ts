// What is brought to be shown in the place of the run on screen. A recording is put there from its bytes, which are known until another
// one is opened, so that it can be kept.
import { create } from "zustand";

import type { GivenLog } from "../../../rl/logs/readingThread.ts";
import { engine } from "../../engine/client.ts";
import { showRecordedConfig } from "../../engine/draftActions.ts";
import { endTour } from "../../kit/dialog/dialogStore.ts";
import { goToPlace, placeHash, type ReplayLink, type ReplayPlace } from "./replayLink.ts";

interface Brought {
  /** The link that is asked about or followed; null where there is none. */
  readonly link: ReplayLink | null;
  readonly linkProblem: string | null;
  readonly isFetching: boolean;
  /** The files of others that are being read or were, as somebody calls them: "completions", "3 files". Null before the first. */
  readonly name: string | null;
  readonly isReading: boolean;
  /** Why nothing of them was opened, in a sentence. */
  readonly problem: string | null;
  /** Whether they wait for a yes, since a run trains here. */
  readonly isWaiting: boolean;
  /** The log that its screen reads, kept so that a look at a lesson loses nothing; and why files were not taken for one, in a sentence. */
  readonly log: GivenLog;
  readonly logProblem: string | null;
}

export const useBrought = create<Brought>()(() => ({
  link: null,
  linkProblem: null,
  isFetching: false,
  name: null,
  isReading: false,
  problem: null,
  isWaiting: false,
  log: { text: "" },
  logProblem: null,
}));

let opened: { readonly runId: string; readonly name: string; readonly bytes: Uint8Array } | null = null;

/**
 * Shows it at a place, or plays it from its beginning where the place names no step. Resolves to its id. Rejects with a
 * sentence where it cannot be read.
 * @param isOfPage whether the page's own address led here, so that there is no link to go back to.
 */
export async function openRecording(name: string, bytes: Uint8Array, place: ReplayPlace, isOfPage = false): Promise<string> {
  await engine.untilUp();
  const isHeld = place.at.has("step");
  const { runId } = await engine.request({ type: "open", files: [{ name, bytes }], paused: isHeld, ...(isHeld ? {} : { step: 0 }) });
  opened = { runId, name, bytes };
  endTour();
  showRecordedConfig();
  // The link stays where the browser's way back leads.
  if (isOfPage) window.location.replace(placeHash(place));
  goToPlace(place);
  return runId;
}

/** Whether the recording on screen came from elsewhere and can be kept here. */
export const canKeep = (runId: string | null): boolean => runId !== null && opened?.runId === runId;

/** Keeps it among the saved runs of this browser. */
export async function keepRecording(): Promise<void> {
  if (!opened) return;
  await engine.request({ type: "add-save", files: [{ name: opened.name, bytes: opened.bytes }] });
  opened = null;
}
