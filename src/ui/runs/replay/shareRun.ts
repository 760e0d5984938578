// The run on screen to hand on: as a file, or as a link that carries it whole where it is short.
import { bytesText } from "../../../protocol/memory.ts";
import { capital } from "../../../protocol/quantities.ts";
import { engine } from "../../engine/client.ts";
import { isOfRun, parseRoute, placeIn, placeQuery } from "../../engine/route.ts";
import { selectionText } from "../../engine/store/selection.ts";
import { useChartView } from "../../kit/charts/chartView.ts";
import { copyText, saveFile } from "../../kit/files.ts";
import { lettersOf, MOST_LINK, MOST_LINKED_BYTES, type ReplayPlace, replayHash } from "./replayLink.ts";

/** Downloads the run as one file, without its weights; tells its size. */
export async function downloadRollout(): Promise<string> {
  const { name, bytes } = await engine.request({ type: "export-rollout" });
  saveFile(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" }));
  return `${name}, ${bytesText(bytes.length, 1000)}.`;
}

/** What is on screen of the run. On Train that is the step that is held, else the run as it plays. */
function placeHere(): ReplayPlace {
  const { screen, query } = parseRoute(window.location.hash);
  const { range } = useChartView.getState();
  const { step, promptIndex } = engine.view.selection.getState();
  if (isOfRun(screen)) return { screen, at: query, range };
  return { screen: "train", at: placeQuery("train", step === null ? {} : { step, promptIndex }), range };
}

/** A link that carries the run. Rejects with a sentence where even its records do not fit into one. */
async function runLink(): Promise<string> {
  const { step } = engine.view.selection.getState();
  const shown = step === null ? {} : { shown: step };
  const { bytes } = await engine.request({ type: "export-rollout", mostBytes: MOST_LINKED_BYTES, ...shown }).catch((error: Error) => {
    const hasSize = /takes (\d+) bytes without/.exec(error.message)?.[1];
    if (hasSize === undefined) throw error;
    throw new Error(
      `the run's records alone take ${Math.ceil(Number(hasSize) / 1000)} kB, and a link holds ${Math.floor(MOST_LINKED_BYTES / 1000)}: hand on the file below instead`,
    );
  });
  const hash = replayHash({ run: lettersOf(bytes) }, placeHere());
  if (hash.length > MOST_LINK) throw new Error(`the link must have at most ${MOST_LINK} letters, got ${hash.length}`);
  return new URL(hash, window.location.href).href;
}

/** Copies a link that carries the run; tells how long it is. */
export async function copyRunLink(): Promise<string> {
  const link = runLink();
  await copyText(link);
  return `${new Intl.NumberFormat("en").format((await link).length)} letters.`;
}

/** What is shown of the same prompts over time; a step that is left out is the first or the newest. */
function timeText(query: URLSearchParams): string {
  const { prompt, from, to } = placeIn("time", query);
  const steps = [from !== null && `from step ${from}`, to !== null && `to step ${to}`].filter((each) => each !== false);
  return ["prompt", prompt + 1, "over time", ...steps].join(" ");
}

/** What of the run a link leads to, in words. */
export function placeText(): string {
  const { screen, query } = parseRoute(window.location.hash);
  const { range } = useChartView.getState();
  const place = selectionText(engine.view.selection.getState());
  const steps = range ? `, with charts from step ${range[0]} to ${range[1]}` : "";
  if (screen === "time") return `${timeText(query)}${steps}`;
  if (place === null) return `the recording as it plays${steps}`;
  return `${place} on ${capital(screen)}${steps}`;
}
