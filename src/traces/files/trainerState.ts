// Curves that transformers' trainers write beside what they make: trainer_state.json, whose log_history has one object a step. Its names
// are TRL's, which this lab's metrics follow.
import { isRecord } from "../../protocol/problems.ts";
import { readText, textOf } from "../containers/jsonText.ts";
import type { TraceFile } from "../traceSet.ts";

/** A log of a million steps is smaller. */
const MOST_BYTES = 2 ** 28;

/** Fields of an entry that are no metrics. */
const NO_METRICS: ReadonlySet<string> = new Set(["step", "epoch"]);

/** Metrics by step. Throws a sentence where the file is no such log. */
export async function loggedMetrics(file: TraceFile): Promise<ReadonlyMap<number, Readonly<Record<string, number>>>> {
  if (file.size > MOST_BYTES) throw new Error(`must have at most ${MOST_BYTES / 2 ** 20} MB`);
  const state = readText(textOf(await file.read(0, file.size)));
  const history = isRecord(state) ? state.log_history : null;
  if (!Array.isArray(history)) throw new Error("must have log_history, a list");
  const steps = new Map<number, Readonly<Record<string, number>>>();
  for (const entry of history as readonly unknown[]) {
    if (!isRecord(entry) || typeof entry.step !== "number") continue;
    const metrics = Object.entries(entry).filter(
      (pair): pair is [string, number] => !NO_METRICS.has(pair[0]) && typeof pair[1] === "number" && Number.isFinite(pair[1]),
    );
    steps.set(entry.step, { ...steps.get(entry.step), ...Object.fromEntries(metrics) });
  }
  return steps;
}
