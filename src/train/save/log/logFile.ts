// What was recorded of a run since the last write, as one file of the save's log. Metrics are rows of
// 64-bit numbers under their names, a quarter of the size of JSON and exact for every number there is.
// A file covers a stretch of writes, so that one that is missing or in another's place is noticed.

import { parseOrThrow } from "../../../protocol/problems.ts";
import type { StepRecord } from "../../../protocol/records.ts";
import { z } from "../../../protocol/zod.ts";
import { type RunLog, recordSchemas } from "../savedState.ts";
import { anyNumber, seal, unseal } from "../sealed.ts";

/** The writes that a file covers, first and last. */
export interface LogSpan {
  readonly from: number;
  readonly to: number;
}

const { evaluation, baseline, probe } = recordSchemas(anyNumber);
const headerSchema = z.strictObject({
  format: z.literal("rollout-lab-log"),
  version: z.literal([2, 3]),
  runId: z.string(),
  from: z.int().min(0),
  to: z.int().min(0),
  /** Runs of steps with the same metrics. */
  steps: z.array(z.strictObject({ keys: z.array(z.string()), count: z.int().min(1) })),
  evaluations: z.array(evaluation),
  baselines: z.array(baseline),
  /** Version 2 had none. */
  probes: z.array(probe).default([]),
});

export const LOG_FOLDER = "log/";

/** Files of a log sort by the first write they cover. */
export function logName({ from }: LogSpan): string {
  return `${LOG_FOLDER}${String(from).padStart(9, "0")}`;
}

interface Block {
  readonly keys: readonly string[];
  count: number;
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i]);
}

function blocksOf(steps: readonly StepRecord[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const { metrics } of steps) {
    const keys = Object.keys(metrics);
    const last = blocks.at(-1);
    if (last && sameKeys(last.keys, keys)) last.count += 1;
    else blocks.push({ keys, count: 1 });
  }
  return blocks;
}

/** Records as a file of the log. */
export function encodeLog(runId: string, { from, to }: LogSpan, { steps, ...records }: RunLog): Uint8Array {
  const blocks = blocksOf(steps);
  const rows = new Float64Array(blocks.reduce((sum, { keys, count }) => sum + count * (1 + keys.length), 0));
  let at = 0;
  for (const { step, metrics } of steps) {
    rows[at++] = step;
    for (const key in metrics) rows[at++] = metrics[key]!;
  }
  const { evaluations, baselines, probes } = records;
  const header = { format: "rollout-lab-log", version: 3, runId, from, to, steps: blocks, evaluations, baselines, probes };
  return seal(header, new Uint8Array(rows.buffer));
}

function readSteps(blocks: readonly Block[], payload: Uint8Array, name: string): StepRecord[] {
  const numbers = blocks.reduce((sum, { keys, count }) => sum + count * (1 + keys.length), 0);
  if (payload.length !== 8 * numbers) throw new Error(`${name} must have ${8 * numbers} bytes of metrics, got ${payload.length}`);
  const rows = new Float64Array(payload.slice().buffer);
  const steps: StepRecord[] = [];
  let at = 0;
  for (const { keys, count } of blocks) {
    for (let i = 0; i < count; i++) {
      const step = rows[at++]!;
      if (!Number.isSafeInteger(step) || step < 1) throw new Error(`${name} has a step ${step}`);
      const metrics: Record<string, number> = {};
      for (const key of keys) metrics[key] = rows[at++]!;
      steps.push({ step, metrics });
    }
  }
  return steps;
}

/** Reads a file of a run's log; throws a sentence with its name where it is not one. */
export function decodeLog(file: Uint8Array, name: string, runId: string): LogSpan & RunLog {
  const { header, payload } = unseal(file, name, "rollout-lab-log");
  const { from, to, steps, evaluations, baselines, probes, ...rest } = parseOrThrow(headerSchema, header);
  if (rest.runId !== runId) throw new Error(`${name} belongs to another run, ${rest.runId}`);
  return { from, to, steps: readSteps(steps, payload, name), evaluations, baselines, probes };
}
