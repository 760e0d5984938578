// Training by TRL in the place of this engine: the folder of export --to trl is written into the run's, its program
// started with the Python that has TRL, and what it tells is told in the shape of every other run.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { LiveForm } from "../../../export/live/liveForms.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { ModelFile } from "../../../protocol/messages.ts";
import { errorText } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { EvaluationRecord } from "../../../protocol/records.ts";
import { fewProblems } from "../../../rl/accuracy.ts";
import { isBetter } from "../../../rl/verdict/evaluations.ts";
import { evaluate, heldOut } from "../../../train/evaluation.ts";
import type { Host } from "../../../train/host.ts";
import { contextOf } from "../../../train/run/evaluateRun.ts";
import { dataFiles } from "../../../train/save/rollout/heldData.ts";
import { putData } from "../../custom/contents.ts";
import type { LoggedRollouts } from "../../exports/trl/files.ts";
import {
  clearFolder,
  createRunFolder,
  freeFolder,
  pathOf,
  type RunFolder,
  refuseTaken,
  TRL_OUTPUT,
  takeFolder,
  writeJson,
  writeWhole,
} from "../../folder/runFolder.ts";
import { CommandError, EXIT } from "../../lab/exit.ts";
import type { Interrupt } from "../../lab/interrupt.ts";
import type { Progress } from "../../lab/progress.ts";
import { columns } from "../../lab/texts.ts";
import type { Report } from "../../lab/verb.ts";
import { packagePath } from "../../packageFiles.ts";
import { startRolloutServer } from "../../rollouts/rolloutServer.ts";
import { lookAtRun } from "../../runs/openRun.ts";
import { type ConfigFile, planFile } from "../configFile.ts";
import { findPython, missingPackages, pythonCommand } from "../python.ts";
import type { WrittenDown } from "../recorder.ts";
import { openLogs, readForms } from "../runLogs.ts";
import { type BestEvaluation, summaryOf, summaryText } from "../summary.ts";
import { followTrl, launchLine, type TrlCommand } from "./followTrl.ts";
import { loggedRollouts } from "./loggedRollouts.ts";
import { type PreparedTrl, prepareTrl } from "./prepareTrl.ts";
import { TrlRecords } from "./trlRecords.ts";

interface TrlTraining {
  readonly file: ConfigFile;
  readonly host: Host;
  readonly out: string | undefined;
  /** The run that goes on; null for one that begins. */
  readonly resumed: RunFolder | null;
  readonly python: string | undefined;
  /** What starts the training elsewhere. */
  readonly launch: string | undefined;
  readonly dryRun: boolean;
  /** Forms in which its metrics are written besides. */
  readonly log: string | undefined;
  /** Conversations that are written down. */
  readonly trajectories: WrittenDown;
  readonly interrupt: Interrupt;
  readonly progress: Progress;
}

/** What a Python lacks of TRL's packages, as a sentence; null where it has all. */
async function lackOfTrl(python: string): Promise<string | null> {
  const found = await findPython(python);
  const help = "name a Python that has TRL with --python or ROLLOUT_LAB_PYTHON";
  if (!found) return `${python} cannot be run: ${help}`;
  const missing = missingPackages(found).join(" ");
  return missing === "" ? null : `${python} has no ${missing}: pip install ${missing}, or ${help}`;
}

async function writeTrlFolder(folder: string, files: readonly ModelFile[]): Promise<void> {
  for (const { name, bytes } of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, bytes);
  }
}

/** What the model that TRL has left reaches on the same problems as the start; null with the reason where it cannot be asked. */
async function evaluateTrained(folder: RunFolder, step: number, { progress }: TrlTraining) {
  try {
    const told = (done: number, total: number) => progress.doing(`evaluating ${done} of ${total}`);
    const opening = { path: folder.path, which: "last", progress } as const;
    return { evaluation: await lookAtRun(opening, ({ run }) => evaluate(contextOf(run), step, told)), notice: null };
  } catch (error) {
    return { evaluation: null, notice: `not evaluated after training: ${errorText(error)}` };
  }
}

/** That its held-out problems are too few to decide anything; null where they are not. */
function fewHeldOut({ held: { task, config } }: PreparedTrl): string | null {
  const { examples, isOnly } = heldOut(task, config);
  return fewProblems(examples.length, isOnly);
}

/** What would be run, and what of it was not looked at. */
function planned(training: TrlTraining, prepared: PreparedTrl, path: string, trl: TrlCommand, lack: string | null): Report {
  const { config, folder } = prepared;
  const { form, lost } = folder;
  const shown = launchLine(trl);
  const few = fewHeldOut(prepared);
  const held = form.held === "here" ? "programs of the folder" : `the lab: ${form.why}`;
  const isElsewhere = training.launch !== undefined;
  const unchecked = [
    ...(lack === null || isElsewhere ? [] : [lack]),
    ...(isElsewhere ? ["whether the machine that --launch names can be reached and has TRL"] : []),
    "TRL's own checks of its settings, and whether the model fits the memory there",
  ];
  const rows = [
    ["held by", held],
    ...lost.map(({ field, value, why }) => [`  ${field}`, `${JSON.stringify(value)} has no counterpart: ${why}`]),
    ...(few === null ? [] : [["note", few]]),
    ...unchecked.map((what) => ["not checked", what]),
  ];
  return {
    facts: {
      dryRun: true,
      backend: "trl",
      run: path,
      command: shown,
      config,
      conversations: form.held,
      lost,
      notices: few === null ? [] : [few],
      unchecked,
    },
    text: `would write ${join(path, "trl")} and run:\n  ${shown}\n${columns(rows)}`,
  };
}

/** Conversations that the program is to tell: of the first, each evaluated and the last step, or all. */
function loggedOf(trajectories: WrittenDown, { evalEvery }: RunConfig): LoggedRollouts | null {
  if (trajectories === 0) return null;
  return trajectories === "all" ? { every: 1, most: null } : { every: evalEvery, most: trajectories };
}

/** Trains a configuration with TRL, or says what would be run. */
export async function trainWithTrl(training: TrlTraining): Promise<Report> {
  const { file, out, resumed, dryRun, host, progress, launch, trajectories, log } = training;
  const python = pythonCommand(training.python);
  const path = resumed?.path ?? out ?? (await freeFolder(file.name));
  const lack = launch === undefined || dryRun ? await lackOfTrl(python) : null;
  if (lack !== null && !dryRun) throw new CommandError(lack, EXIT.missing);
  if (!resumed) await refuseTaken(path);
  const plan = planFile(file);
  const server = [process.execPath, packagePath("dist-cli/bin/rollout-lab.js"), "rollouts", resolve(path)];
  const command = [python, "train.py", ...(plan.config.backend === "wasm" ? ["--cpu"] : [])];
  const trl = { folder: resolve(path, "trl"), command, launch: launch ?? null };
  launchLine(trl);
  const logged = loggedOf(trajectories, plan.config);
  const measures = !dryRun && !resumed;
  const prepared = await prepareTrl({ name: file.path, plan, host, command: server, progress, logged, measures });
  if (dryRun) return planned(training, prepared, path, trl, lack);
  const few = resumed ? null : fewHeldOut(prepared);
  if (few !== null) progress.tell({ type: "notice", message: few });
  const forms = log === undefined ? [] : readForms(log);
  // What --resume begins the program with again.
  const began = { ...(training.python ? { python } : {}), ...(launch ? { launch } : {}), ...(log ? { log } : {}), trajectories };
  const folder = resumed ?? (await createRunFolder(path, { name: file.name, backend: "trl", ...began, ...file.loaded?.named }));
  const giveBack = await takeFolder(folder);
  try {
    return await trainPrepared(training, prepared, { folder, trl, python, forms });
  } finally {
    await giveBack();
    // Of a start that came to nothing no folder is left that looks like a run.
    await clearFolder(folder);
  }
}

interface Place {
  readonly folder: RunFolder;
  readonly trl: TrlCommand;
  readonly python: string;
  readonly forms: readonly LiveForm[];
}

/** Where train.py finds the lab's server; only whoever runs the training may read it. */
const SERVER_FILE = "server.json";

/** Runs the program, with a server of conversations beside it where the lab holds them. */
async function runProgram(prepared: PreparedTrl, place: Place, following: Omit<Parameters<typeof followTrl>[0], "trl">) {
  const notices = new Map<string, number>();
  const onProblem = (reason: string) => void notices.set(reason, (notices.get(reason) ?? 0) + 1);
  const server = prepared.folder.form.held === "lab" ? await startRolloutServer({ ...prepared.held, onProblem }) : null;
  const file = join(place.trl.folder, SERVER_FILE);
  try {
    if (server) await writeFile(file, JSON.stringify({ url: server.url, token: server.token }), { mode: 0o600 });
    await followTrl({ ...following, trl: place.trl });
    return [...notices].map(([reason, count]) => `in ${counted(count, "step")} conversations had no verdict: ${reason}`);
  } finally {
    server?.close();
    await rm(file, { force: true });
  }
}

/** Trains what is prepared in its folder and tells it in the shape of every other run. */
async function trainPrepared(training: TrlTraining, prepared: PreparedTrl, place: Place): Promise<Report> {
  const { folder, trl, python, forms } = place;
  const { interrupt, progress, host } = training;
  const { config } = prepared;
  const begun = host.now();
  const logs = await openLogs(folder, forms, () => {});
  const records = new TrlRecords(folder, logs);
  await records.read();
  await putData(await dataFiles(config, host.contents), folder.path);
  await writeJson(pathOf(folder, "config.json"), config);
  await writeTrlFolder(trl.folder, prepared.folder.files);
  for (const record of prepared.baselines) records.baseline(record);
  for (const record of prepared.evaluations) records.evaluation(record);
  logs.begin(config);
  const { problems, task } = prepared.held;
  const notices = await runProgram(prepared, place, {
    run: folder.path,
    records,
    interrupt,
    progress,
    of: config.steps * config.minibatches * config.innerEpochs,
    linesOf: loggedRollouts(problems, task, config.rewardWeights),
  });
  logs.end();
  const measuresHere = prepared.hasWeights && config.evalEvery > 0;
  const after = measuresHere ? await evaluateTrained(folder, records.steps.at(-1)?.step ?? 0, training) : null;
  if (after?.evaluation) records.evaluation(after.evaluation);
  const last = resolve(folder.path, TRL_OUTPUT);
  const { steps, evaluations, baselines } = records;
  const recorded = { config, steps, evaluations, baselines };
  const who = prepared.hasWeights ? "this engine evaluates" : "this engine evaluates what TRL samples";
  const lost = prepared.folder.lost.map(({ field, value, why }) => `${field} ${JSON.stringify(value)} has no counterpart in TRL: ${why}`);
  const summary = summaryOf(recorded, {
    run: folder.path,
    model: prepared.report,
    best: bestOf(evaluations, last),
    last,
    continuedFrom: records.from,
    backend: { id: "trl", title: "TRL", threads: null, reason: `${python} trains, and ${who}.` },
    seconds: (host.now() - begun) / 1000,
    notices: [...lost, ...notices, ...(after?.notice ? [after.notice] : [])],
  });
  await writeJson(pathOf(folder, "summary.json"), summary);
  return { facts: { ...summary, interrupted: false }, text: `${summaryText(summary, recorded)}\nmodel: ${last}` };
}

/** The better of the start and what was trained; of what lies between no model is kept. */
function bestOf(evaluations: readonly EvaluationRecord[], path: string): BestEvaluation | null {
  const [start] = evaluations;
  const last = evaluations.at(-1);
  if (!start || !last) return null;
  const best = last !== start && isBetter(last, start) ? last : start;
  return { step: best.step, accuracy: best.sampledAccuracy, meanReward: best.meanReward, path: best === start ? null : path };
}
