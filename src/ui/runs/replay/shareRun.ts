// The run on screen to hand on: as a file that holds all of it, or as a link that carries as much of it as a link holds.
import { bytesText } from "../../../protocol/memory.ts";
import { capital, counted } from "../../../protocol/quantities.ts";
import { isWhole, type RolloutExtent } from "../../../protocol/run/runSummary.ts";
import { engine } from "../../engine/client.ts";
import { isOfRun, parseRoute, placeIn, placeQuery } from "../../engine/route.ts";
import { selectionText } from "../../engine/store/selection.ts";
import { useChartView } from "../../kit/charts/chartView.ts";
import { saveFile } from "../../kit/files.ts";
import { lettersOf, MOST_LINKED_BYTES, placeText, type ReplayPlace, replayHash } from "./replayLink.ts";

/** What is on screen of the run. On Train that is the step that is held, else the run as it plays. */
function placeHere(): ReplayPlace {
  const { screen, query } = parseRoute(window.location.hash);
  const { range } = useChartView.getState();
  const { step, promptIndex } = engine.view.selection.getState();
  if (isOfRun(screen)) return { screen, at: query, range };
  return { screen: "train", at: placeQuery("train", step === null ? {} : { step, promptIndex }), range };
}

/** The answer on screen, with its step as the page has it: taken again, measured, or from a record beside a save. */
function shownHere() {
  const { selection, groups } = engine.view;
  const { step, promptIndex, trajectoryIndex, tokenIndex } = selection.getState();
  if (step === null) return {};
  const shown = { step, promptIndex, trajectoryIndex, ...(tokenIndex === null ? {} : { tokenIndex }) };
  const known = groups.at(step);
  if (known?.groups.length !== known?.summaries.length || (known?.phase !== "update" && known?.phase !== "evaluate")) return { shown };
  const { phase, config, summaries } = known;
  return { shown, here: { phase, config, summaries, groups: known.groups } };
}

/** Downloads the run as one file, without its weights, which opens where it was made; tells its size. */
export async function downloadRollout(): Promise<string> {
  const { name, bytes } = await engine.request({ type: "export-rollout", place: placeText(placeHere()), ...shownHere() });
  saveFile(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" }));
  return `${name}, ${bytesText(bytes.length, 1000)}.`;
}

/** A link that carries the run, and what it leaves out of it, a clause each. Rejects where a link cannot hold even the run's settings. */
export async function runLink(): Promise<{ readonly link: string; readonly holds: string; readonly lacks: readonly string[] }> {
  const place = placeHere();
  const { bytes, extent } = await engine.request({
    type: "export-rollout",
    mostBytes: MOST_LINKED_BYTES,
    isOverTime: place.screen === "time",
    ...shownHere(),
  });
  const hash = replayHash({ run: lettersOf(bytes) }, place);
  return { link: new URL(hash, window.location.href).href, holds: extent ? heldText(extent) : "", lacks: extent ? lackTexts(extent) : [] };
}

const count = (value: number) => new Intl.NumberFormat("en").format(value);

/** What of a run a link holds: "step 7 with the answers to prompt 2, curves of 64 of 1,000 steps". */
export function heldText(extent: RolloutExtent): string {
  const { steps, shown, hasAllMetrics } = extent;
  if (isWhole(extent)) return "the whole run";
  const amount = shown && {
    step: `step ${shown.step} with all its answers`,
    group: `step ${shown.step} with the answers to prompt ${shown.promptIndex + 1}`,
    answer: `answer ${shown.trajectoryIndex + 1} to prompt ${shown.promptIndex + 1} of step ${shown.step}`,
  };
  const curves = `${hasAllMetrics ? "all" : "the main"} curves at ${steps.held === steps.of ? "every step" : `${count(steps.held)} of ${count(steps.of)} steps`}`;
  return [...(amount ? [amount[shown.amount]] : []), curves].join(", and ");
}

/** What stays behind, a clause each. */
export function lackTexts({ steps, hasAllMetrics, probes, kept, shown }: RolloutExtent): readonly string[] {
  const others = kept.of - kept.held;
  return [
    shown?.amount === "group" && `what was said to the other prompts of step ${shown.step}`,
    shown?.amount === "answer" && `what was said in the other answers of step ${shown.step}`,
    others > 0 && `the conversations of ${counted(others, shown ? "other step" : "step")}`,
    steps.held < steps.of && `the curves between those ${count(steps.held)} steps`,
    !hasAllMetrics && "the less usual curves",
    probes.held < probes.of &&
      `the same prompts over time${probes.held === 0 ? "" : `, but for ${counted(count(probes.held), "record")} of ${count(probes.of)}`}`,
  ].filter((each) => each !== false);
}

/** What is shown of the same prompts over time; a step that is left out is the first or the newest. */
function timeText(query: URLSearchParams): string {
  const { prompt, from, to } = placeIn("time", query);
  const steps = [from !== null && `from step ${from}`, to !== null && `to step ${to}`].filter((each) => each !== false);
  return ["prompt", prompt + 1, "over time", ...steps].join(" ");
}

/** What of the run a link leads to, in words. */
export function placeWords(): string {
  const { screen, query } = parseRoute(window.location.hash);
  const { range } = useChartView.getState();
  const place = selectionText(engine.view.selection.getState());
  const steps = range ? `, with charts from step ${range[0]} to ${range[1]}` : "";
  if (screen === "time") return `${timeText(query)}${steps}`;
  if (place === null) return `the recording as it plays${steps}`;
  return `${place} on ${capital(screen)}${steps}`;
}
