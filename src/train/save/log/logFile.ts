// What was recorded of a run since the last write, as one file of the save's log. Metrics are rows of
// 64-bit numbers under their names, a quarter of the size of JSON and exact for every number there is.

import { parseOrThrow } from "../../../protocol/problems.ts";
import { baselineSchema, evaluationSchema, probeSchema } from "../../../protocol/record/measuredSchemas.ts";
import type { StepRecord } from "../../../protocol/records.ts";
import { z } from "../../../protocol/zod.ts";
import { readPart, writePart } from "../parts.ts";
import type { RunLog } from "../savedState.ts";

const headerSchema = z.strictObject({
  /** Runs of steps with the same metrics. */
  steps: z.array(z.strictObject({ keys: z.array(z.string()), count: z.int().min(1) })),
  evaluations: z.array(evaluationSchema),
  baselines: z.array(baselineSchema),
  probes: z.array(probeSchema),
});

export const LOG_FOLDER = "log/";

/** Files of a log sort by the number of the first write they have. */
export const logName = (write: number): string => `${LOG_FOLDER}${String(write).padStart(9, "0")}`;

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
export function encodeLog({ steps, evaluations, baselines, probes }: RunLog): Uint8Array {
  const blocks = blocksOf(steps);
  const rows = new Float64Array(blocks.reduce((sum, { keys, count }) => sum + count * (1 + keys.length), 0));
  let at = 0;
  for (const { step, metrics } of steps) {
    rows[at++] = step;
    for (const key in metrics) rows[at++] = metrics[key]!;
  }
  return writePart({ steps: blocks, evaluations, baselines, probes }, new Uint8Array(rows.buffer));
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

/** Reads a file of a log; throws a sentence with its name where it is not one. */
export function decodeLog(file: Uint8Array, name: string): RunLog {
  const { header, payload } = readPart(file, name);
  const { steps, ...records } = parseOrThrow(headerSchema, header);
  return { steps: readSteps(steps, payload, name), ...records };
}
