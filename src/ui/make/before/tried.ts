// The first step of a run of one's own, tried before the run is started: on an engine of its own, so that the page and the run on
// screen go on, and which ends where somebody will not wait. A start waits for it, and stands back where the step could teach nothing.
import type { Catalog } from "../../../protocol/catalog.ts";
import { RECORD_KEYS } from "../../../protocol/config/configFacts.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { errorText } from "../../../protocol/problems.ts";
import { judgeFirstStep } from "../../../rl/diagnosis/firstStep.ts";
import { EngineClient } from "../../engine/client.ts";
import { openTrainerWorker } from "../../engine/openWorkers.ts";
import { untilRead } from "../../engine/sourcesRead.ts";
import { presetOfRun } from "../../engine/store/draft/draftConfig.ts";
import { createRunView } from "../../engine/store/runView.ts";
import { catalogNow } from "../../engine/store/useRunView.ts";
import { closeDialog, openDialog, useDialog } from "../../kit/dialog/dialogStore.ts";
import { noteFirst, useCustomize } from "../customize/customizeStore.ts";

/** A start that comes through so soon asks nobody to look at how far it is. */
const PATIENCE_MS = 500;

/** Sections of the form that decide what is answered; how many answers there are makes no other task of them. */
const DECISIVE: ReadonlySet<string> = new Set(["task", "model", "sampling"]);
const HOW_MANY: ReadonlySet<string> = new Set(["promptsPerStep", "groupSize"]);

const decides = ({ group, key }: Catalog["fields"][number]) => DECISIVE.has(group) || key === "task";

/** What of a configuration decides its first step's answers and what they earn, as a text. */
export function decisive(catalog: Catalog, config: RunConfig): string {
  const keys = [...catalog.fields.filter(decides).map(({ key }) => key), ...RECORD_KEYS, "rewardTransform", "seed"];
  return JSON.stringify(keys.map((key) => config[key as RunConfigKey]));
}

/** Whether a run is of one's own, by what it asks, what it answers with or what it pays for: no shipped preset is that run. */
export function isOwn(catalog: Catalog, config: RunConfig): boolean {
  if (config.kind === "supervised" || config.backend === "tinker" || config.startFrom === "run") return false;
  const others = catalog.fields.filter((field) => !decides(field) || HOW_MANY.has(field.key)).map(({ key }) => key);
  return presetOfRun(catalog, config, new Set(others)) === null;
}

let engine: EngineClient | null = null;

/** Ends a try that goes on. */
export function stopTrying(): void {
  engine?.close();
  engine = null;
  noteFirst({ going: null });
}

/** Tries the first step of a configuration; what comes of it is among the facts. Resolves once it is over, or was ended. */
export async function tryOnce(config: RunConfig): Promise<void> {
  stopTrying();
  await untilRead(config);
  const own = new EngineClient(createRunView());
  engine = own;
  noteFirst({ of: decisive(catalogNow(), config), tried: null, problem: null, going: { phase: "prepare", done: 0, total: 0 } });
  own.connect(openTrainerWorker);
  const stop = own.listen((event) => {
    if (event.type === "asking") noteFirst({ going: event });
  });
  try {
    await own.untilUp();
    const step = await own.request({ type: "try-step", config });
    if (engine === own) noteFirst({ tried: { step, judged: judgeFirstStep(step, config) } });
  } catch (error) {
    if (engine === own) noteFirst({ problem: errorText(error) });
  } finally {
    stop();
    if (engine === own) stopTrying();
  }
}

/** Tells a start that waits whether it may go on. */
let answer = (_mayStart: boolean) => {};

/** Answers the start that waits, as the buttons of the dialog do. */
export function settleStart(mayStart: boolean): void {
  stopTrying();
  answer(mayStart);
}

/** What somebody has been told and went on with all the same. */
let accepted = "";

/**
 * Tries the first step of a run of one's own before it starts. Resolves to whether it may: where it could teach
 * nothing, somebody is asked.
 */
export async function mayStart(config: RunConfig): Promise<boolean> {
  const catalog = catalogNow();
  const of = decisive(catalog, config);
  if (!isOwn(catalog, config) || of === accepted) return true;
  const known = useCustomize.getState().first;
  answer(false);
  // Code that came from elsewhere is read first: two dialogs at a time would stand in each other's way.
  if (
    !(await untilRead(config).then(
      () => true,
      () => false,
    ))
  )
    return false;
  const asked = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  const timer = setTimeout(() => openDialog("before"), PATIENCE_MS);
  const tried = known.of === of && known.tried ? Promise.resolve() : tryOnce(config);
  const mine = answer;
  tried.then(
    () => {
      // What cannot be tried, the start itself refuses in its own words.
      if (useCustomize.getState().first.of !== of) return;
      if (useCustomize.getState().first.tried?.judged.findings.length) openDialog("before");
      else mine(true);
    },
    () => mine(false),
  );
  try {
    const may = await asked;
    if (may) accepted = of;
    return may;
  } finally {
    clearTimeout(timer);
    if (useDialog.getState().open === "before" && answer === mine) closeDialog();
  }
}
