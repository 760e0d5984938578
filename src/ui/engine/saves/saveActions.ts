// What can be done with a saved run. Why something did not work is among the run's facts, where the page
// shows it; a run that another tab has is offered as a copy.

import type { RunConfig } from "../../../protocol/config.ts";
import { Refused } from "../../../protocol/problems.ts";
import { saveFile } from "../../kit/files.ts";
import { rememberHere } from "../../kit/remembered.ts";
import { newRunId } from "../actions.ts";
import { engine } from "../client.ts";
import { showConfig, showRecordedConfig } from "../draftActions.ts";
import { untilRead } from "../sourcesRead.ts";
import { focusTransport } from "../trainAction.ts";
import { isOver } from "./saveTexts.ts";

export interface ContinueOptions {
  /** Computes instead of the backend that the run was saved with, whose GPU may be gone. */
  readonly backend?: RunConfig["backend"];
  /** Goes on as a run of its own and leaves the save as it is. */
  readonly asCopy?: boolean;
}

/** The file of conversations beside a save in a run's folder, and how much of its end is read. */
export const RECORDED = "trajectories.jsonl";
export const MOST_BYTES = 64 * 2 ** 20;

/**
 * What lies beside saves that came in the command line's folders, by their runs, each read where its run is opened;
 * null where nothing does.
 */
export const importedRecords = new Map<string, () => Promise<Uint8Array | null>>();

async function showRecords(runId: string, read: () => Promise<Uint8Array | null>): Promise<void> {
  const { facts, groups } = engine.view;
  const isShown = () => facts.getState().runId === runId;
  // Nobody has paused it: the command line has ended with it.
  if (isShown() && facts.getState().state === "paused") await engine.request({ type: "stop" });
  const bytes = await read();
  const { config } = facts.getState();
  if (!bytes || !config || !isShown()) return;
  const { recordedSteps } = await import("./recordedSteps.ts");
  const { steps, lack } = recordedSteps(bytes, config, bytes.length >= MOST_BYTES);
  groups.addRecorded(runId, steps);
  if (lack !== null) facts.setState({ notice: { message: lack } });
}

/** Goes on with a run that was saved in this browser, or opens one that is over; the panel then shows its configuration. */
export async function continueSave(runId: string, { backend, asCopy = false }: ContinueOptions = {}): Promise<void> {
  engine.facts.setState({ copyOffer: null });
  const save = engine.facts.getState().saves?.find((each) => each.runId === runId);
  try {
    await untilRead(save?.config ?? {});
    await engine.request({
      type: "continue",
      runId,
      paused: save !== undefined && isOver(save),
      ...(backend ? { backend } : {}),
      ...(asCopy ? { copyAs: newRunId() } : {}),
    });
    const { catalog } = engine.facts.getState();
    const { config } = engine.view.facts.getState();
    if (catalog && config) showConfig(catalog, config);
    // A file that is gone by now takes nothing of the run with it.
    const records = importedRecords.get(runId);
    if (records) await showRecords(runId, records).catch(() => {});
  } catch (error) {
    if (error instanceof Refused && error.inOtherTab) engine.facts.setState({ copyOffer: { runId, message: error.message } });
  }
}

/**
 * Shows a saved run without building it, at its end or played from its beginning; the panel then shows its
 * configuration, which nothing changes.
 */
export async function openSaved(runId: string, isPlayed = false): Promise<void> {
  try {
    await engine.request({ type: "open", runId, paused: !isPlayed, ...(isPlayed ? { step: 0 } : {}) });
    showRecordedConfig();
    const records = importedRecords.get(runId);
    if (records) await showRecords(runId, records).catch(() => {});
  } catch {
    // Said by the page.
  }
}

/** Shows a saved run at the place that the screen names: a run that begins lets go of what was selected of the one before. */
export async function openAtPlace(runId: string): Promise<void> {
  const place = engine.view.selection.getState();
  await openSaved(runId);
  engine.view.selection.setState(place);
}

/** Which run this tab shows, over a reload: a saved one by its id, a recording that came in a link by the link. */
export const SHOWN = "rollout-lab-shown";
let linked: { readonly runId: string; readonly hash: string } | null = null;

/** A recording stands here that a link brought. */
export function noteLink(runId: string, hash: string): void {
  linked = { runId, hash };
}

/** As the page hides, which it does before a reload. */
export function rememberShown(): void {
  const { runId, recording } = engine.view.facts.getState();
  // Files of other programs are gone with the page.
  if (runId !== null && !recording?.traced) rememberHere(SHOWN, linked?.runId === runId ? linked.hash : runId);
}

/** The same for a button that goes away with what it does, so that the focus goes to the controls of the run. */
export function goOnWith(runId: string, options?: ContinueOptions): void {
  focusTransport("train");
  void continueSave(runId, options);
}

export function replayRun(runId: string): void {
  focusTransport("train");
  void openSaved(runId, true);
}

/** Whether the save is gone. */
export async function deleteSave(runId: string): Promise<boolean> {
  try {
    await engine.request({ type: "delete-save", runId });
    return true;
  } catch {
    return false;
  }
}

/** Gives the save to the browser as one file. */
export async function downloadSave(runId: string): Promise<void> {
  try {
    const { name, bytes } = await engine.request({ type: "read-save", runId });
    saveFile(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" }));
  } catch {
    // Said by the page.
  }
}
