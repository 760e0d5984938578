// Trains one run in a folder, from its first step or from where it stood: the same engine as the page's, its
// events written down, Ctrl-C as the page's stop.

import type { LiveForm } from "../../export/live/liveForms.ts";
import { startEngine } from "../../library/startEngine.ts";
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import type { EngineEvent, EventOf } from "../../protocol/messages.ts";
import { LabError } from "../../protocol/problems.ts";
import { fewEvaluated } from "../../rl/accuracy.ts";
import type { Host } from "../../train/host.ts";
import { dataFiles } from "../../train/save/rollout/heldData.ts";
import { packFiles } from "../../train/save/rollout/packedFiles.ts";
import { keepData } from "../custom/contents.ts";
import { createFolderStore, PARENT, withParent } from "../folder/folderStore.ts";
import { checkpointPath, clearFolder, pathOf, type RunFolder, saveFolder, takeFolder, writeJson, writeWhole } from "../folder/runFolder.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import type { Interrupt } from "../lab/interrupt.ts";
import type { Progress } from "../lab/progress.ts";
import { operandWord } from "../lab/texts.ts";
import type { FoundSave } from "../runs/openRun.ts";
import { Recorder, type WrittenDown } from "./recorder.ts";
import { openLogs } from "./runLogs.ts";
import { type RunSummary, summaryOf } from "./summary.ts";

export interface Training {
  readonly folder: RunFolder;
  /**
   * What the run is made from, with the run whose weights it begins with if so wished; or the live settings with which
   * one goes on, and what computes.
   */
  readonly from:
    | { readonly config: RunConfigInput; readonly parent: FoundSave | null }
    | { readonly settings: LiveSettings; readonly plan: Pick<RunConfig, "backend" | "threads"> };
  readonly host: Host;
  /** Conversations that are written down. */
  readonly trajectories: WrittenDown;
  /** Forms in which its metrics are written besides, while it goes on. */
  readonly forms?: readonly LiveForm[];
  /** What the report is to say besides. */
  readonly notices?: readonly string[];
  readonly progress: Progress;
  readonly interrupt: Interrupt;
}

export interface TrainingResult {
  readonly summary: RunSummary;
  readonly recorder: Recorder;
  /** Stopped before its last step. */
  readonly isInterrupted: boolean;
}

/** What is being done, and what keeps it from being done. */
function tellDoing(progress: Progress, event: EventOf<"preparing" | "notice">): void {
  if (event.type === "notice") {
    const { message, passing } = event;
    progress.tell({ type: "notice", message, ...(passing ? { passing } : {}) });
    if (passing) progress.doing(message);
  } else {
    progress.tell({ type: "preparing", what: event.what, done: event.done, total: event.total });
    progress.doing(event.what);
  }
}

function tellProgress(progress: Progress, { recorded }: Recorder, event: EngineEvent, begunMs: number): void {
  if (event.type === "evaluation") {
    const { outcomes: _, ...figures } = event.record;
    progress.tell({ type: "evaluation", ...figures });
    const few = figures.step === 0 ? fewEvaluated(figures) : null;
    if (few !== null) progress.tell({ type: "notice", message: few });
  } else if (event.type === "baseline") progress.tell({ type: "baseline", ...event.record });
  else if (event.type === "steps") {
    for (const { step, metrics } of event.records) {
      const { reward, loss, kl, success_rate: successRate, entropy } = metrics;
      progress.tell({ type: "step", step, of: recorded.config.steps, reward, loss, kl, successRate, entropy });
    }
    const key = recorded.config.kind === "supervised" ? "loss" : "reward";
    const rewards = () => recorded.steps.map(({ metrics }) => metrics[key] ?? Number.NaN);
    const { step } = event.records.at(-1)!;
    progress.at({ step, of: recorded.config.steps, rewards, from: recorded.continuedFrom, seconds: (performance.now() - begunMs) / 1000 });
  }
}

/** Trains a run to its step limit, or until somebody interrupts it. Rejects where it cannot begin or go on. */
export async function trainInFolder(training: Training): Promise<TrainingResult> {
  const giveBack = await takeFolder(training.folder);
  try {
    return await train(training);
  } finally {
    await giveBack();
    // Of a start that came to nothing no folder is left that looks like a run.
    await clearFolder(training.folder);
  }
}

const INTERRUPTED = {
  start: "interrupted before the run had begun, so that nothing was kept: the same command begins it again",
  resume: "interrupted before the run went on, which stays as it was: the same command goes on with it",
};

/** Why a run stands still that nobody stopped, and how it goes on where it can. */
function failureOf({ message, recoverable }: EventOf<"error">, { path }: RunFolder): CommandError {
  return new CommandError(recoverable ? `${message} (rollout-lab train ${operandWord(path)} --resume goes on from there)` : message);
}

async function train({ folder, from, host, trajectories, forms, notices = [], progress, interrupt }: Training): Promise<TrainingResult> {
  const begunMs = host.now();
  const own = createFolderStore(saveFolder(folder), (step) => recorder.conversationsUpTo(step));
  /** Why nothing is saved at present; null while it is. */
  let storageReason: string | null = null;
  /** The first thing that went wrong. Files are written behind the run, so that it may come after the last step. */
  let failure: Error | null = null;
  let hasGone = false; // A save at its limit is finished before it goes on to what it lacks.
  let end: (isInterrupted: boolean) => void = () => {};
  const ended = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const fail = (error: Error) => {
    failure ??= error;
    end(false);
  };
  const recorder = new Recorder(folder, () => engine, { most: trajectories, logs: await openLogs(folder, forms, fail) }, fail);
  const listen = (event: EngineEvent) => {
    if (event.runId === PARENT) return;
    recorder.hear(event);
    if (event.type === "preparing" || event.type === "notice") tellDoing(progress, event);
    else if (event.type === "storage") storageReason = event.reason;
    else if (event.type === "error" && interrupt.isAsked && event.recoverable) end(true);
    else if (event.type === "error") fail(failureOf(event, folder));
    else if (event.type === "state" && event.state === "running") hasGone = true;
    else if (event.type === "state" && event.state === "finished" && hasGone) end(event.reason === "stopped");
    else if (recorder.hasBegun) tellProgress(progress, recorder, event, begunMs);
  };
  const engine = await startEngine({ ...host, store: "config" in from && from.parent ? withParent(own, from.parent) : own }, listen);
  try {
    const stop = () =>
      engine.ask({ type: "stop" }).catch((error: Error) => {
        // Before the run is there nothing can be stopped: it is left out then.
        if (recorder.hasBegun && !(error instanceof LabError && error.kind === "overtaken")) fail(error);
      });
    interrupt.onAsked(stop);
    await begin([...commandsOf(engine, folder, from, recorder), () => keepData(recorder, host, folder)], interrupt);
    if (interrupt.isAsked && !recorder.hasBegun)
      throw new CommandError(INTERRUPTED["config" in from ? "start" : "resume"], EXIT.interrupted);
    // It may have been asked for between two commands, the latter of which let the run go on.
    if (interrupt.isAsked) await stop().then(() => hasGone || end(true));
    const isInterrupted = await ended;
    await recorder.finish();
    if (failure) throw failure;
    await engine.ask({ type: "save" });
    const files = await own.read(folder.runId);
    if (files.size === 0) throw new CommandError(storageReason ?? `internal: ${folder.path} has no save`);
    await writeLast(folder, new Map([...files, ...(await dataFiles(recorder.recorded.config, host.contents))]));
    const summary = await writeSummary(folder, recorder, {
      seconds: (host.now() - begunMs) / 1000,
      notices: [...notices, ...recorder.notices, ...(storageReason === null ? [] : [storageReason])],
    });
    return { summary, recorder, isInterrupted };
  } finally {
    const closed = engine.close();
    // A start that was given up ends by itself, and nobody waits for it.
    if (recorder.hasBegun) await closed;
  }
}

/** Writes the run as it stands as one file. */
const writeLast = (folder: RunFolder, files: Parameters<typeof packFiles>[0]) =>
  writeWhole(checkpointPath(folder, "last"), packFiles(files));

/** Writes down what the run came to, in short. */
async function writeSummary(
  folder: RunFolder,
  { recorded, best }: Recorder,
  told: { readonly seconds: number; readonly notices: readonly string[] },
): Promise<RunSummary> {
  const { backend, model, continuedFrom } = recorded;
  const last = checkpointPath(folder, "last");
  const summary = summaryOf(recorded, { run: folder.path, backend, model, continuedFrom, best, last, ...told });
  await writeJson(pathOf(folder, "summary.json"), summary);
  return summary;
}

type Begun = Awaited<ReturnType<typeof startEngine>>;

/** Tells the engine one after another, until somebody interrupts it; what fails then has failed of that. */
async function begin(commands: readonly (() => Promise<unknown>)[], interrupt: Interrupt): Promise<void> {
  for (const command of commands) {
    if (interrupt.isAsked) return;
    await command().catch((error: unknown) => {
      if (!interrupt.isAsked) throw error;
    });
  }
}

/** What the engine is told until the run goes on. */
function commandsOf(engine: Begun, { runId }: RunFolder, from: Training["from"], recorder: Recorder): readonly (() => Promise<unknown>)[] {
  if ("config" in from) {
    const { config, parent } = from;
    const start = () => engine.ask({ type: "start", runId, config, inherit: parent !== null });
    return parent ? [() => engine.ask({ type: "continue", runId: parent.runId, copyAs: PARENT, paused: true }), start] : [start];
  }
  const { settings, plan } = from;
  const { backend, threads } = plan;
  return [
    () => engine.ask({ type: "continue", runId, backend, threads, paused: true }),
    // What was recorded is put in order before anything is added to it.
    () => recorder.ordered(),
    ...(Object.keys(settings).length > 0 ? [() => engine.ask({ type: "set", settings })] : []),
    () => engine.ask({ type: "resume" }),
  ];
}
