// Training by TRL in the place of this engine: the folder of export --to trl is written into the run's, its program
// started with the Python that has TRL, and each record it tells written down as this engine's are.

import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { LiveForm } from "../../export/live/liveForms.ts";
import { metricsLine } from "../../export/writtenRun.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { ModelFile, ModelReport } from "../../protocol/messages.ts";
import { errorText, isRecord } from "../../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../../protocol/records.ts";
import { isBetter } from "../../rl/verdict/evaluations.ts";
import { evaluate, measureRandomBaseline, startBaseline } from "../../train/evaluation.ts";
import type { Host } from "../../train/host.ts";
import { contextOf } from "../../train/queries/evaluateRun.ts";
import { disposeModels, prepareRun } from "../../train/run/start.ts";
import { trlFolder } from "../exports/trl.ts";
import { JsonLines } from "../folder/jsonLines.ts";
import {
  clearFolder,
  createRunFolder,
  freeFolder,
  pathOf,
  type RunFolder,
  refuseTaken,
  TRL_OUTPUT,
  writeJson,
  writeWhole,
} from "../folder/runFolder.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import type { Interrupt } from "../lab/interrupt.ts";
import type { Progress } from "../lab/progress.ts";
import type { Report } from "../lab/verb.ts";
import { openRun } from "../runs/openRun.ts";
import { type ConfigFile, planFile } from "./configFile.ts";
import { findPython, missingPackages, pythonCommand } from "./python.ts";
import { openLogs, type RunLogs, readForms } from "./runLogs.ts";
import { type BestEvaluation, summaryOf, summaryText } from "./summary.ts";

interface TrlTraining {
  readonly file: ConfigFile;
  readonly host: Host;
  readonly out: string | undefined;
  readonly python: string | undefined;
  readonly dryRun: boolean;
  /** Forms in which its metrics are written besides. */
  readonly log: string | undefined;
  readonly interrupt: Interrupt;
  readonly progress: Progress;
}

/** Throws where a Python or one of the packages is not there. */
async function requireTrl(python: string): Promise<void> {
  const found = await findPython(python);
  const help = "name a Python that has TRL with --python or ROLLOUT_LAB_PYTHON";
  if (!found) throw new CommandError(`${python} cannot be run: ${help}`, EXIT.missing);
  const missing = missingPackages(found).join(" ");
  if (missing !== "") throw new CommandError(`${python} has no ${missing}: pip install ${missing}, or ${help}`, EXIT.missing);
}

/** What TRL is given, and what the policy reaches before. */
interface PreparedTrl {
  readonly config: RunConfig;
  readonly model: ModelReport;
  readonly files: readonly ModelFile[];
  readonly baselines: readonly BaselineRecord[];
  readonly evaluations: readonly EvaluationRecord[];
}

/** Makes all that TRL is to get, in memory, so that whatever cannot be trained there is refused before a folder is made. @param measures whether the start is evaluated too. */
async function prepareTrl({ file, host, progress }: TrlTraining, measures: boolean): Promise<PreparedTrl> {
  const plan = planFile(file);
  const run = await prepareRun("trl", plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  try {
    const files = await trlFolder(file.path, run);
    const made = { config: plan.config, model: run.model.report, files };
    if (!measures) return { ...made, baselines: [], evaluations: [] };
    const context = contextOf(run);
    const random = await measureRandomBaseline(context);
    const start = await evaluate(context, 0, (done, total) => progress.doing(`evaluating the start, ${done} of ${total}`));
    return { ...made, baselines: [random, startBaseline(start)], evaluations: [start] };
  } finally {
    disposeModels(run);
  }
}

async function writeTrlFolder(folder: RunFolder, files: readonly ModelFile[]): Promise<void> {
  for (const { name, bytes } of files) {
    const path = join(folder.path, "trl", name);
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, bytes);
  }
}

/** What the model that TRL has left reaches on the same problems as the start; null with the reason where it cannot be asked. */
async function evaluateTrained(folder: RunFolder, step: number, { progress }: TrlTraining) {
  try {
    const { run, close } = await openRun({ path: folder.path, which: "last", progress });
    try {
      const told = (done: number, total: number) => progress.doing(`evaluating ${done} of ${total}`);
      return { evaluation: await evaluate(contextOf(run), step, told), notice: null };
    } finally {
      close();
    }
  } catch (error) {
    return { evaluation: null, notice: `not evaluated after training: ${errorText(error)}` };
  }
}

/** Figures of a line that train.py tells; null for lines for people. */
function recordOf(line: string): { readonly step: number; readonly metrics: Readonly<Record<string, number>> } | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && typeof value.step === "number" && isRecord(value.metrics)
      ? { step: value.step, metrics: value.metrics as Readonly<Record<string, number>> }
      : null;
  } catch {
    return null;
  }
}

/** Runs the program to its end; resolves to the records of its steps. */
async function follow(
  command: readonly string[],
  folder: RunFolder,
  logs: RunLogs,
  { interrupt, progress }: TrlTraining,
): Promise<readonly StepRecord[]> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: join(folder.path, "trl"), stdio: ["ignore", "pipe", "pipe"] });
  interrupt.onAsked(() => child.kill("SIGTERM"));
  const metrics = new JsonLines(pathOf(folder, "metrics.jsonl"), () => child.kill("SIGTERM"));
  const steps: StepRecord[] = [];
  let last = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.trim() !== "") last = line.trim();
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const record = recordOf(line);
    if (!record) return;
    metrics.add([metricsLine(record)]);
    logs.steps([record]);
    steps.push(record);
    progress.tell({ type: "step", ...record });
  });
  const code = await new Promise<number>((done) => {
    child.on("error", () => done(127));
    child.on("close", (status) => done(status ?? 1));
  });
  if (interrupt.isAsked) throw new CommandError(`interrupted after ${steps.length} steps, which TRL cannot go on from`, EXIT.interrupted);
  if (code !== 0) throw new CommandError(`TRL ended with exit code ${code}: ${last}`);
  return steps;
}

/** Trains a configuration with TRL, or says what would be run. */
export async function trainWithTrl(training: TrlTraining): Promise<Report> {
  const { file, out, dryRun } = training;
  const python = pythonCommand(training.python);
  const path = out ?? (await freeFolder(file.name));
  await requireTrl(python);
  await refuseTaken(path);
  const prepared = await prepareTrl(training, !dryRun);
  const { config } = prepared;
  const command = [python, "train.py", ...(config.backend === "wasm" ? ["--cpu"] : [])];
  const shown = `cd ${join(path, "trl")} && ${command.join(" ")}`;
  if (dryRun)
    return {
      facts: { dryRun: true, backend: "trl", run: path, command: shown, config },
      text: `would write ${join(path, "trl")} and run:\n  ${shown}`,
    };
  const forms = training.log === undefined ? [] : readForms(training.log);
  const folder = await createRunFolder(path, { name: file.name, backend: "trl", ...file.loaded?.named });
  try {
    return await trainPrepared(training, prepared, { folder, command, python, forms });
  } catch (error) {
    await clearFolder(folder);
    throw error;
  }
}

interface Place {
  readonly folder: RunFolder;
  readonly command: readonly string[];
  readonly python: string;
  readonly forms: readonly LiveForm[];
}

/** Trains what is prepared in its folder and tells it in the shape of every other run. */
async function trainPrepared(training: TrlTraining, prepared: PreparedTrl, { folder, command, python, forms }: Place): Promise<Report> {
  const { config, baselines } = prepared;
  const begun = training.host.now();
  const evaluations = [...prepared.evaluations];
  const evaluated = new JsonLines(pathOf(folder, "evaluations.jsonl"), () => {});
  const logs = await openLogs(folder, forms, () => {});
  await writeJson(pathOf(folder, "config.json"), config);
  await writeTrlFolder(folder, prepared.files);
  evaluated.add([
    ...baselines.map((record) => ({ type: "baseline", record })),
    ...evaluations.map((record) => ({ type: "evaluation", record })),
  ]);
  logs.begin(config);
  const steps = await follow(command, folder, logs, training);
  logs.end();
  const after = config.evalEvery > 0 ? await evaluateTrained(folder, steps.at(-1)?.step ?? 0, training) : null;
  if (after?.evaluation) {
    evaluations.push(after.evaluation);
    evaluated.add([{ type: "evaluation", record: after.evaluation }]);
  }
  const last = resolve(folder.path, TRL_OUTPUT);
  const recorded = { config, steps, evaluations, baselines };
  const summary = summaryOf(recorded, {
    ...{ run: folder.path, model: prepared.model, best: bestOf(evaluations, last), last, continuedFrom: 0 },
    backend: { id: "trl", title: "TRL", threads: null, reason: `${python} trains, and this engine evaluates.` },
    seconds: (training.host.now() - begun) / 1000,
    notices: after?.notice ? [after.notice] : [],
  });
  await writeJson(pathOf(folder, "summary.json"), summary);
  return { facts: summary, text: `${summaryText(summary, recorded)}\nmodel: ${last}` };
}

/** The better of the start and what was trained. */
function bestOf(evaluations: readonly EvaluationRecord[], path: string): BestEvaluation | null {
  const [start] = evaluations;
  const last = evaluations.at(-1);
  if (!start || !last) return null;
  const best = last !== start && isBetter(last, start) ? last : start;
  return { step: best.step, accuracy: best.sampledAccuracy, meanReward: best.meanReward, path: best === start ? null : path };
}
