// Training by TRL in the place of this engine: the folder of export --to trl is written into the run's, its program
// started with the Python that has TRL, and each record it tells written down as this engine's are.

import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { short } from "../../export/writtenRun.ts";
import { isRecord } from "../../protocol/problems.ts";
import { meanOf } from "../../rl/advantage/statistics.ts";
import type { Host } from "../../train/host.ts";
import { disposeModels, prepareRun } from "../../train/run/start.ts";
import { trlFolder } from "../exports/trl.ts";
import { JsonLines } from "../folder/jsonLines.ts";
import {
  clearFolder,
  createRunFolder,
  freeFolder,
  pathOf,
  type RunFolder,
  TRL_OUTPUT,
  writeJson,
  writeWhole,
} from "../folder/runFolder.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import type { Interrupt } from "../lab/interrupt.ts";
import type { Progress } from "../lab/progress.ts";
import type { Report } from "../lab/verb.ts";
import { type ConfigFile, planFile } from "./configFile.ts";
import { findPython, missingPackages, pythonCommand } from "./python.ts";

interface TrlTraining {
  readonly file: ConfigFile;
  readonly host: Host;
  readonly out: string | undefined;
  readonly python: string | undefined;
  readonly dryRun: boolean;
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

async function writeTrlFolder(folder: RunFolder, { file, host }: TrlTraining): Promise<string> {
  const plan = planFile(file);
  const run = await prepareRun(folder.runId, plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  const path = join(folder.path, "trl");
  try {
    for (const { name, bytes } of await trlFolder(file.path, run)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeWhole(join(path, name), bytes);
    }
  } finally {
    disposeModels(run);
  }
  return path;
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

/** Runs the program to its end; resolves to the rewards of its steps. */
async function follow(command: readonly string[], folder: RunFolder, { interrupt, progress }: TrlTraining): Promise<readonly number[]> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: join(folder.path, "trl"), stdio: ["ignore", "pipe", "pipe"] });
  interrupt.onAsked(() => child.kill("SIGTERM"));
  const metrics = new JsonLines(pathOf(folder, "metrics.jsonl"), () => child.kill("SIGTERM"));
  const rewards: number[] = [];
  let last = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.trim() !== "") last = line.trim();
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const record = recordOf(line);
    if (!record) return;
    metrics.add([{ step: record.step, ...record.metrics }]);
    rewards.push(record.metrics.reward ?? Number.NaN);
    progress.tell({ type: "step", ...record });
  });
  const code = await new Promise<number>((done) => {
    child.on("error", () => done(127));
    child.on("close", (status) => done(status ?? 1));
  });
  if (interrupt.isAsked) throw new CommandError(`interrupted after ${rewards.length} steps, which TRL cannot go on from`, EXIT.interrupted);
  if (code !== 0) throw new CommandError(`TRL ended with exit code ${code}: ${last}`);
  return rewards;
}

const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : meanOf(values));

/** Trains a configuration with TRL, or says what would be run. */
export async function trainWithTrl(training: TrlTraining): Promise<Report> {
  const { file, out, dryRun } = training;
  const { config } = planFile(file);
  const python = pythonCommand(training.python);
  const path = out ?? (await freeFolder(file.name));
  const command = [python, "train.py", ...(config.backend === "wasm" ? ["--cpu"] : [])];
  const shown = `cd ${join(path, "trl")} && ${command.join(" ")}`;
  if (dryRun)
    return {
      facts: { dryRun: true, backend: "trl", run: path, command: shown, config },
      text: `would write ${join(path, "trl")} and run:\n  ${shown}`,
    };
  await requireTrl(python);
  const folder = await createRunFolder(path, { name: file.name, backend: "trl", ...file.loaded?.named });
  const begun = training.host.now();
  let rewards: readonly number[];
  try {
    await writeJson(pathOf(folder, "config.json"), config);
    await writeTrlFolder(folder, training);
    rewards = await follow(command, folder, training);
  } catch (error) {
    await clearFolder(folder);
    throw error;
  }
  const window = Math.max(1, Math.min(20, Math.floor(rewards.length / 10)));
  const summary = {
    ...{ run: path, backend: "trl", task: config.task, algorithm: config.algorithm, seed: config.seed, steps: rewards.length },
    reward: { first: meanOrNull(rewards.slice(0, window)), final: meanOrNull(rewards.slice(-window)), window },
    seconds: (training.host.now() - begun) / 1000,
    model: resolve(path, TRL_OUTPUT),
  };
  await writeJson(pathOf(folder, "summary.json"), summary);
  const { first, final } = summary.reward;
  const change = `reward ${short(first)} -> ${short(final)} in ${rewards.length} steps, ${summary.seconds.toFixed(0)} s`;
  return { facts: summary, text: `${config.task} with TRL: ${change}\nmodel: ${summary.model}` };
}
