// What the controls of a recording do: move it, and go on with training from where it stands.
import { newRunId } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { showConfig } from "../../engine/draftActions.ts";
import { continueSave } from "../../engine/saves/saveActions.ts";
import { untilRead } from "../../engine/sourcesRead.ts";

let wanted: number | null = null;
let isMoving = false;

/** Moves the recording to a step; while it moves, only the newest place that is wanted counts. */
export async function moveTo(step: number): Promise<void> {
  wanted = step;
  if (isMoving) return;
  isMoving = true;
  try {
    while (wanted !== null) {
      const to: number = wanted;
      wanted = null;
      await engine.request({ type: "seek", step: to });
    }
  } catch {
    // Said by the page.
  } finally {
    isMoving = false;
    wanted = null;
  }
}

/**
 * Trains on from where the recording stands. At its end a saved run goes on itself; anywhere else another run begins there, with everything
 * before it taken again, to the bit.
 * @param isPaused lets it wait, for a change of settings.
 */
export async function goOnHere(isPaused: boolean): Promise<void> {
  const { runId, step, recording, state } = engine.view.facts.getState();
  if (runId === null || !recording) return;
  if (state === "running") await engine.request({ type: "pause" });
  const isSaved = engine.facts.getState().saves?.some((save) => save.runId === runId) ?? false;
  if (step === recording.lastStep && isSaved && !isPaused) return continueSave(runId);
  try {
    await untilRead(engine.view.facts.getState().config ?? {});
    await engine.request({ type: "fork", runId, step, forkAs: newRunId(), paused: isPaused });
    const { catalog } = engine.facts.getState();
    const { config } = engine.view.facts.getState();
    if (catalog && config) showConfig(catalog, config);
  } catch {
    // Said by the page.
  }
}
