// What a run has recorded, read back from its folder or gathered while it goes on: what summaries, verdicts
// and comparisons are made from.

import { stat } from "node:fs/promises";
import { trajectoryLines } from "../../export/trajectoryLines.ts";
import { conversationOf } from "../../export/writtenRun.ts";
import { isRecord } from "../../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../../protocol/records.ts";
import { paidParts } from "../../protocol/run/paidParts.ts";
import type { RunRecords } from "../../rl/verdict/history.ts";
import { catalog } from "../../train/catalog.ts";
import { KeptSteps } from "../../train/save/kept/keptSteps.ts";
import { readConfig } from "../../train/save/manifest.ts";
import { readLines } from "./jsonLines.ts";
import { findRun, isSaveFile, pathOf, type RunFolder, readJson } from "./runFolder.ts";
import { readOrRefuse, readSaveFile } from "./saveFile.ts";

function stepOf(line: unknown): StepRecord {
  if (!isRecord(line) || typeof line.step !== "number") throw new Error("a line of metrics.jsonl has no step");
  const { step, ...metrics } = line;
  // JSON has no NaN: a metric that was not a number comes back as null.
  return {
    step,
    metrics: Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, typeof value === "number" ? value : Number.NaN])),
  };
}

/** Steps with the later of two records of the same one, ascending. */
export function joinSteps<T extends { readonly step: number }>(earlier: readonly T[], later: readonly T[]): readonly T[] {
  const byStep = new Map([...earlier, ...later].map((record) => [record.step, record]));
  return [...byStep.values()].sort((a, b) => a.step - b.step);
}

/** A run to look at: its folder, or one file. Throws a CommandError where it is not there or cannot be read. */
export async function findRecorded(path: string): Promise<RunFolder> {
  if (!(await isSaveFile(path))) return findRun(path);
  return { path, runId: (await readSaveFile(path)).runId, isFile: true };
}

/** Conversations of a step that are taken from one file, as a folder has them. */
const MOST_OF_A_STEP = 64;

/** The conversations of a run in one file: of the first, the evaluated and the last step that it keeps. */
async function keptConversations(path: string): Promise<readonly unknown[]> {
  const { runId, ...save } = await readSaveFile(path);
  const saved = readOrRefuse(path, { runId, ...save });
  const kept = new KeptSteps(saved.kept);
  const evaluated = new Set(saved.evaluations.map(({ step }) => step));
  const lines: unknown[] = [];
  for (const step of kept.steps.filter((each, i, all) => i === 0 || i === all.length - 1 || evaluated.has(each))) {
    const groups = await kept.read(step, saved.config);
    if (groups) lines.push(...trajectoryLines(groups, MOST_OF_A_STEP));
  }
  return JSON.parse(JSON.stringify(lines)) as readonly unknown[];
}

/** The lines of the sampled conversations that a run's folder has, or that one file keeps. */
export async function readConversations(folder: RunFolder): Promise<readonly unknown[]> {
  if (folder.isFile) return (await keptConversations(folder.path)).map(conversationOf);
  const lines = await readLines(pathOf(folder, "trajectories.jsonl"));
  return lines.map(conversationOf);
}

/** Reads what a run has recorded. */
export async function readRecords(folder: RunFolder): Promise<RunRecords> {
  if (folder.isFile) return withRewards(readOrRefuse(folder.path, await readSaveFile(folder.path)));
  const config = readConfig(await readJson(pathOf(folder, "config.json")));
  const steps = (await readLines(pathOf(folder, "metrics.jsonl"))).map(stepOf);
  const lines = (await readLines(pathOf(folder, "evaluations.jsonl"))).filter(isRecord);
  const evaluations = lines.filter(({ type }) => type === "evaluation").map(({ record }) => record as EvaluationRecord);
  const baselines = lines.filter(({ type }) => type === "baseline").map(({ record }) => record as BaselineRecord);
  return withRewards({ config, steps: joinSteps(steps, []), evaluations: joinSteps(evaluations, []), baselines });
}

/** The same with what the run is paid for, which its verdict is about, and the settings that its task comes with. */
export function withRewards<R extends RunRecords>(recorded: R): R {
  const usual = catalog.tasks.find(({ id }) => id === recorded.config.task)?.config ?? null;
  return { ...recorded, rewards: paidParts(recorded.config, catalog), usual };
}

/** Seconds since 1970 at which a run began; of one file, when it was written. */
export async function begunOf(folder: RunFolder): Promise<number> {
  if (folder.isFile) return Math.floor((await stat(folder.path)).mtimeMs / 1000);
  const { created } = (await readJson(pathOf(folder, "run.json"))) as { readonly created?: unknown };
  const time = typeof created === "string" ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? 0 : time / 1000;
}
