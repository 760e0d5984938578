// Puts a recording on screen from its bytes, and knows them until another one is opened, so that it can be kept.

import { engine } from "../../engine/client.ts";
import { showRecordedConfig } from "../../engine/draftActions.ts";
import { endTour } from "../../kit/dialog/dialogStore.ts";
import { goToPlace, placeHash, type ReplayPlace } from "./replayLink.ts";

let opened: { readonly runId: string; readonly name: string; readonly bytes: Uint8Array } | null = null;

/**
 * Shows it at a place, or plays it from its beginning where the place names no step. Resolves to its id. Rejects with a sentence where it cannot be read.
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
