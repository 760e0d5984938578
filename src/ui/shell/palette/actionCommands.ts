// The palette's actions: what the buttons of the page do, where it can be done now.
import { errorText } from "../../../protocol/problems.ts";
import {
  askFirst,
  goOnWithRewards,
  inspect,
  nextAction,
  pause,
  resetOrAsk,
  restartOrAsk,
  takeOne,
  trainOrAsk,
} from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { changeDraft, hasRun, redo, undo } from "../../engine/draftActions.ts";
import { PACES, setPace } from "../../engine/pace.ts";
import { goTo, type Screen, showsRun } from "../../engine/route.ts";
import { downloadSave, goOnWith } from "../../engine/saves/saveActions.ts";
import { continueVerb, sortedSaves } from "../../engine/saves/saveTexts.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { selected } from "../../engine/store/selection.ts";
import { setupOf, show } from "../../experiment/plan/setup.ts";
import { cancelExperiment, pauseExperiment, resumeExperiment } from "../../experiment/run/actions.ts";
import { keptOf, useExperiments } from "../../experiment/run/experiments.ts";
import { shapeOf } from "../../experiment/shapes/index.ts";
import { changeAsk, openDialog } from "../../kit/dialog/dialogStore.ts";
import { setShortcuts, setTheme, THEMES, usePreferences } from "../../kit/remembered.ts";
import { shareOrCopy } from "../CopyLink.tsx";
import { takeTour } from "../tour/firstTour.ts";
import type { PaletteCommand } from "./commands.ts";

type Action = Omit<PaletteCommand, "id" | "group"> & {
  /** Whether it can be done now; always where left out. */
  readonly if?: boolean;
};

/** What moves the run. */
function runActions(isUp: boolean): readonly Action[] {
  const { state, config } = engine.view.facts.getState();
  const { applied } = useDraft.getState();
  const isFree = isUp && state !== "running" && state !== "preparing";
  return [
    { title: nextAction().label, keys: "Space", words: "train start run go on resume", if: isFree, run: trainOrAsk },
    { title: "Pause", keys: "Space", words: "stop halt", if: isUp && state === "running", run: pause },
    { title: "One step", keys: "s", words: "take step", if: isUp && state !== "preparing", run: () => takeOne("step") },
    { title: "One phase", keys: "p", words: "step phase", if: isUp && state !== "preparing", run: () => takeOne("phase") },
    {
      title: "Choose a model",
      words: "pretrained checkpoint hub hugging face smollm qwen gguf",
      if: isUp,
      run: () => openDialog("models"),
    },
    { title: "Reset: forget this run", keys: "r", words: "delete clear", if: isUp && hasRun(), run: resetOrAsk },
    { title: "Restart with the settings of the form", words: "new run", if: isUp && hasRun() && applied !== null, run: restartOrAsk },
    { title: "Go on with GRPO from here", if: isFree && config?.kind === "supervised" && state === "finished", run: goOnWithRewards },
  ];
}

/** What the buttons above an experiment do, and the way to a new sweep. */
function experimentActions(screen: Screen): readonly Action[] {
  const { going, paused } = useExperiments.getState();
  const { words } = shapeOf(keptOf(going)?.plan.shape ?? "");
  const cancel = () => going !== null && void cancelExperiment(going);
  const isGoing = going !== null;
  const { shown } = setupOf("compare");
  const canClear = screen === "compare" && shown !== null && shown !== going;
  return [
    { title: "Sweep a setting over several values", words: "grid search hyperparameter seeds compare", run: () => goTo("sweep") },
    { title: `Pause ${words.all}`, words: "stop halt compare", if: isGoing && !paused, run: pauseExperiment },
    { title: `Go on with ${words.all}`, words: "resume compare", if: isGoing && paused, run: resumeExperiment },
    { title: `${words.cancel.split(" ")[0]} ${words.all}`, words: "end stop compare", if: isGoing, run: cancel },
    { title: "Clear the race", words: "delete compare", if: canClear, run: () => show("compare", null) },
  ];
}

function ask(): void {
  goTo("train");
  if (!hasRun()) askFirst();
  changeAsk({ isOpen: true, asksAtOnce: true });
}

/** Holds the newest step, or lets go of the one that is held. */
function holdOrFollow(): readonly Action[] {
  const { selection, groups } = engine.view;
  const newest = groups.latestStep;
  const hold = () => {
    if (newest === null) return;
    selection.setState((before) => selected(before, { step: newest }));
    // A refusal is among the run's facts, where the page shows it.
    inspect(newest).catch(() => {});
  };
  const isHeld = selection.getState().step !== null;
  return [
    { title: `Hold step ${newest}`, words: "freeze pin group", if: newest !== null && !isHeld, run: hold },
    {
      title: "Follow the newest step",
      words: "release group",
      if: newest !== null && isHeld,
      run: () => selection.setState((before) => selected(before, { step: null })),
    },
  ];
}

function formActions(): readonly Action[] {
  const { past, future, draft } = useDraft.getState();
  const toForm = (act: () => void) => () => {
    act();
    goTo("train");
  };
  const changed = Object.keys(draft.edits).length > 0;
  return [
    { title: "Undo the last edit", keys: "Ctrl Z", words: "take back configuration", if: past.length > 0, run: toForm(undo) },
    { title: "Redo the edit", keys: "Ctrl Shift Z", words: "again configuration", if: future.length > 0, run: toForm(redo) },
    {
      title: "Reset to preset",
      words: "edits configuration",
      if: changed,
      run: toForm(() => changeDraft(({ presetId }) => ({ presetId, edits: {} }))),
    },
  ];
}

/** Notes with the run why something of it did not come, where the page shows it. */
function told(asked: Promise<void>): void {
  asked.catch((error: unknown) => engine.view.facts.setState({ notice: { message: errorText(error) } }));
}

/** What leaves the page of the run, and what comes to it. */
function runFiles(): readonly Action[] {
  const { runId, savedStep: saved, step, config, recording } = engine.view.facts.getState();
  // Rollouts of other programs are no run of the lab that could leave.
  const has = runId !== null && !recording?.traced;
  const savedStep = has ? saved : null;
  const other = "csv jsonl tensorboard mlflow wandb weights biases verifiers hugging face model files";
  const newest = sortedSaves(engine.facts.getState().saves ?? []).find((save) => save.config !== null);
  const report = async () => (await import("../../runs/saves/exportRun.ts")).exportReport();
  const look = engine.view.selection.getState().step;
  return [
    { title: "Export this run", words: `download save ${other}`, if: has, run: () => openDialog("export") },
    { title: "Report of this run", words: "export download html page print", if: has, run: () => told(report()) },
    { title: "Download this run", words: "save file export", if: savedStep !== null, run: () => runId && void downloadSave(runId) },
    {
      title: "Fork this run",
      words: "branch compare change setting",
      if: has && step > 0 && config?.kind === "reinforcement",
      run: () => goTo("compare", new URLSearchParams({ fork: String(look ?? step) })),
    },
    {
      title: `${newest ? continueVerb(newest) : ""} the saved run at step ${newest?.step}`,
      words: "load resume go on",
      if: runId === null && newest !== undefined,
      run: () => newest && goOnWith(newest.runId),
    },
    { title: "Open a run from a folder or file", words: "import upload load saved", run: () => goTo("runs", { bring: true }) },
  ];
}

function pageActions(): readonly Action[] {
  const { theme, shortcuts } = usePreferences.getState();
  return [
    { title: "Share this, or copy a link to it", words: "address url run", run: shareOrCopy },
    { title: "Take the tour", words: "introduction first help", run: takeTour },
    { title: "Help and shortcuts", keys: "?", words: "keys", run: () => openDialog("help") },
    ...runFiles(),
    {
      title: shortcuts ? "Switch single-key shortcuts off" : "Switch single-key shortcuts on",
      words: "keyboard",
      run: () => setShortcuts(!shortcuts),
    },
    ...THEMES.filter((each) => each !== theme).map((each) => ({
      title: `Theme: ${each}`,
      words: "colour dark light",
      run: () => setTheme(each),
    })),
    ...PACES.map(({ delayMs, text }) => ({ title: `Speed: ${text}`, words: "pace slow fast", run: () => setPace(delayMs) })),
  ];
}

/** What can be done now, in the order in which it is offered. @param screen where the palette is opened. */
export function actionCommands(screen: Screen): readonly PaletteCommand[] {
  const { status } = engine.facts.getState();
  const isUp = status === "ready" || status === "quiet";
  const { state } = engine.view.facts.getState();
  const canAsk = isUp && state !== "preparing";
  const actions: readonly Action[] = [
    // A race has controls of its own, and no button there moves the run.
    ...(showsRun(screen) ? runActions(isUp) : []),
    ...experimentActions(screen),
    ...formActions(),
    ...holdOrFollow(),
    { title: "Ask the model", words: "question prompt answer", if: canAsk, run: ask },
    ...pageActions(),
  ];
  return actions.flatMap(({ if: can = true, ...action }) => (can ? [{ ...action, id: `action ${action.title}`, group: "Action" }] : []));
}
