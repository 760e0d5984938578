// Rollouts that another program wrote, as a recording that can be looked at: they stand where a saved run would, with what
// their files hold and nothing else. Whatever a configuration would say of them is the schema's default and is not shown.
import { partsOfBlob } from "../../../model/folder/modelFolder.ts";
import type { CommandOf, FileParts } from "../../../protocol/commands.ts";
import { type RunConfig, runConfigSchema } from "../../../protocol/config.ts";
import type { EventBody } from "../../../protocol/messages.ts";
import type { TraceProgress } from "../../../protocol/rollouts/traces.ts";
import type { z } from "../../../protocol/zod.ts";
import { groupSummary } from "../../../rl/metrics/rewardMetrics.ts";
import type { OpenedRuns } from "../../../traces/runs/openRuns.ts";
import type { TraceFile, TraceSet } from "../../../traces/traceSet.ts";
import { type ModelReader, tokenizerNamed } from "../../backend/loadRenderer.ts";
import type { Recording, StepSource } from "./recording.ts";

/** A file of which the engine reads parts. */
const fileOf = ({ path, parts }: { readonly path: string; readonly parts: FileParts }): TraceFile => ({ path, ...partsOfBlob(parts) });

/** As much of a configuration as rollouts tell; the form of their groups is that of their first step. */
function configOf({ rows, report }: TraceSet): RunConfig {
  const [first] = rows;
  const sizes = new Map<number, number>();
  for (const { step, promptIndex } of rows) if (step === first?.step) sizes.set(promptIndex, (sizes.get(promptIndex) ?? 0) + 1);
  const { groupSize, promptsPerStep } = runConfigSchema.shape;
  const within = (schema: z.ZodType<number>, value: number) => (schema.safeParse(value).success ? value : schema.parse(undefined));
  return runConfigSchema.parse({
    model: "transformer",
    algorithm: "grpo",
    steps: 0,
    klCoef: 0,
    groupSize: within(groupSize, Math.max(0, ...sizes.values())),
    promptsPerStep: within(promptsPerStep, sizes.size),
    rewardWeights: Object.fromEntries(
      report.columns.flatMap(({ name, role, weight }) => (role === "part" && weight ? [[name, weight]] : [])),
    ),
  });
}

function stepsOf(set: TraceSet): StepSource {
  const steps = new Set(set.report.steps);
  return {
    steps: set.report.steps,
    has: (step) => steps.has(step),
    async read(step, config) {
      if (!steps.has(step)) return null;
      const groups = await set.groups(step);
      return { step, phase: "update", config, summaries: groups.map(groupSummary), groups };
    },
  };
}

type Pair = NonNullable<Recording["traced"]>["pair"];

/**
 * A set of rollouts as a recording.
 * @param runId what the page and the engine call it.
 * @param pair compares runs that were opened with it
 */
function recordingOfTraces(runId: string, set: TraceSet, pair: Pair): Recording {
  const whole = async () => {
    throw new Error(`${set.report.title} have no weights to go on with`);
  };
  const log = { steps: set.steps, evaluations: [], baselines: [], probes: [] };
  return {
    runId,
    whole,
    place: null,
    prompts: "they were made elsewhere",
    traced: { report: set.report, rollouts: stepsOf(set), pair },
    saved: { ...log, config: configOf(set), settings: {}, kept: [], parameters: 0 },
  };
}

/** Files of fewer bytes are read before anybody could look at a part of them. */
const LONG_BYTES = 2 ** 25;

/** The first step of what was read so far, which is whole: rows of the next have begun. */
function firstOf(set: TraceSet): TraceSet {
  const [first] = set.steps;
  const isFirst = ({ step }: { readonly step: number }) => step === first?.step;
  const report = { ...set.report, steps: set.report.steps.filter((step) => isFirst({ step })), isWhole: false };
  return { ...set, steps: set.steps.filter(isFirst), rows: set.rows.filter(isFirst), report };
}

/** Reads files of rollouts. Rejects with a sentence where they hold none. @param onFirst hears of the first step before the rest is read */
export async function tracedRecording(
  { files, choice }: NonNullable<CommandOf<"open">["traces"]>,
  tell: (event: EventBody) => void,
  host: ModelReader,
  onFirst: (recording: Recording) => void,
): Promise<Recording> {
  // Forms and containers are loaded by whoever opens some.
  const { openRuns } = await import("../../../traces/runs/openRuns.ts");
  const { pairRuns } = await import("../../../traces/runs/pairRuns.ts");
  const told = ({ doneBytes, totalBytes }: TraceProgress) => tell({ type: "asking", done: doneBytes, total: totalBytes });
  const tokenizer = (name: string) => tokenizerNamed(name, host);
  let runs: OpenedRuns["runs"] = [];
  const pair: Pair = (query) => pairRuns(runs, query);
  const recordingOf = (set: TraceSet) => recordingOfTraces(`opened-${set.report.form}`, set, pair);
  const bytes = files.reduce((sum, { parts }) => sum + parts.size, 0);
  const tellFirst = (found: TraceSet) => bytes >= LONG_BYTES && onFirst(recordingOf(firstOf(found)));
  const surroundings = { tokenizer, onFirst: tellFirst };
  const opened = await openRuns(files.map(fileOf), choice, told, surroundings);
  runs = opened.runs;
  return recordingOf(opened.shown);
}
