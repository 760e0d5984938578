// Refuses a run that would not fit in the memory, naming the setting whose value has to change least and
// the largest value of it that fits.
import type { RunConfig, RunConfigKey } from "../../protocol/config.ts";
import { bytesText, type MemoryEstimate } from "../../protocol/memory.ts";
import { InputError, type Problem } from "../../protocol/problems.ts";
import { fewProblems } from "../../rl/accuracy.ts";
import { heldOut } from "../evaluation.ts";
import type { Host } from "../host.ts";
import { judgeShapes } from "../judge/judgeModel.ts";
import { type OpenedModel, type OpenedPlan, openPlan, shapeOf } from "../start/openedPlan.ts";
import type { RunPlan } from "../start/plan.ts";
import { tooLongProblem } from "../start/problemLengths.ts";
import { machineOf } from "./backendMemory.ts";
import { checkTools } from "./modelForTask.ts";
import { type Judgement, judge, type SizedPlan } from "./runMemory.ts";
import { problemSizes } from "./workloadOf.ts";

/** A field of the configuration that is a number. */
type NumberKey = { [K in RunConfigKey]: number extends RunConfig[K] ? K : never }[RunConfigKey];

/** A setting that memory grows with, its least value and the distance between values. */
interface Lever {
  readonly key: NumberKey;
  readonly least: number;
  readonly stride: number;
}

/** The levers of a run, those first that change it least. */
function leversOf({ config, instance }: SizedPlan): readonly Lever[] {
  const isSupervised = config.kind === "supervised";
  const levers: readonly (Lever | false)[] = [
    config.model === "transformer" && { key: "microBatchTokens", least: 64, stride: 1 },
    isSupervised && { key: "demonstrationsPerStep", least: 1, stride: 1 },
    !isSupervised && { key: "promptsPerStep", least: 1, stride: 1 },
    !isSupervised && { key: "groupSize", least: 2, stride: 1 },
    instance.fixedLength === undefined && { key: "maxCompletionTokens", least: 1, stride: 1 },
    ...(config.model === "transformer" && config.startFrom === "random"
      ? ([
          { key: "layers", least: 1, stride: 1 },
          { key: "intermediateSize", least: 8, stride: 8 },
          { key: "hiddenSize", least: 2 * config.heads, stride: 2 * config.heads },
        ] as const)
      : []),
  ];
  return levers.filter((lever) => lever !== false);
}

const judgeWith = (sized: SizedPlan, key: Lever["key"], value: number): Promise<Judgement> => judge(withChange(sized, { key, value }));

/** The largest value of a setting at which the run fits; null where the least does not. */
async function largestFitting(sized: SizedPlan, { key, least, stride }: Lever): Promise<number | null> {
  const present = sized.config[key];
  if (present <= least || (await judgeWith(sized, key, least)).limit !== null) return null;
  let fits = 0;
  let fails = Math.ceil((present - least) / stride);
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2);
    if ((await judgeWith(sized, key, least + middle * stride)).limit === null) fits = middle;
    else fails = middle;
  }
  return least + fits * stride;
}

/** A lower value of a setting. */
interface Change {
  readonly key: Lever["key"];
  readonly value: number;
}

const withChange = (sized: SizedPlan, { key, value }: Change): SizedPlan => ({ ...sized, config: { ...sized.config, [key]: value } });

/** The one change after which the run fits that lowers its setting least; null where no single one is enough. */
async function fittingChange(sized: SizedPlan): Promise<Change | null> {
  let best: Change | null = null;
  for (const lever of leversOf(sized)) {
    const value = await largestFitting(sized, lever);
    const share = ({ key, value }: Change) => value / sized.config[key];
    if (value !== null && (!best || value / sized.config[lever.key] > share(best))) best = { key: lever.key, value };
  }
  return best;
}

/** The setting whose half spares most; null where none can be lower. */
async function halvingChange(sized: SizedPlan): Promise<Change | null> {
  let best: (Change & { readonly bytes: number }) | null = null;
  for (const { key, least, stride } of leversOf(sized)) {
    const present = sized.config[key];
    if (present <= least) continue;
    const value = least + Math.floor((Math.max(least, present / 2) - least) / stride) * stride;
    const { bytes } = (await judgeWith(sized, key, value)).estimate;
    if (!best || bytes < best.bytes) best = { key, value, bytes };
  }
  return best;
}

/** Changes after which the run fits, as few as are enough; none where it never does. */
async function fittingChanges(sized: SizedPlan): Promise<readonly Change[]> {
  const values = new Map<Lever["key"], number>();
  for (let lowered = sized; ; ) {
    const last = await fittingChange(lowered);
    const change = last ?? (await halvingChange(lowered));
    if (!change) return [];
    values.set(change.key, change.value);
    if (last) return Array.from(values, ([key, value]) => ({ key, value }));
    lowered = withChange(lowered, change);
  }
}

/** What is wrong with a run that does not fit. */
async function problemOf(sized: SizedPlan, { estimate, limit }: Judgement): Promise<Problem | null> {
  if (limit === null) return null;
  const { config } = sized;
  const changes = await fittingChanges(sized);
  const needs = estimate.bytes > 0 ? `, which takes about ${bytesText(estimate.bytes)}` : "";
  // The weights of a checkpoint are what they are.
  if (changes.length === 0) return { field: "model", message: `this model does not fit in ${limit}${needs}` };
  const rules = changes.map(({ key, value }, i) => `${key}${i === 0 ? " must be" : ""} <= ${value}`).join(" and ");
  const given = changes.map(({ key }) => config[key]).join(" and ");
  return { field: changes[0]?.key ?? "model", message: `${rules} to fit in ${limit}, got ${given}${needs}` };
}

type Planned = Pick<RunPlan, "config" | "task" | "instance">;
type Opened = Planned & OpenedModel;

type Assessment = Judgement & {
  readonly problem: Problem | null;
  /** What is wrong with problems that have no room in the model's context. */
  readonly tooLong: Problem | null;
  /** What is to be known before such a run is started. */
  readonly notice: string | null;
};

/** What the configuration that was asked about last takes: the page shows it, and then that run is started. */
const assessed = new WeakMap<Host, { readonly config: string; readonly found: Promise<Assessment> }>();

async function assess(plan: Opened, host: Host): Promise<Assessment> {
  const { config, task, instance, renderer, stored } = plan;
  checkTools(task.entry, config, renderer);
  const sizes = problemSizes(instance, renderer, config);
  const judges = await judgeShapes(config, host);
  const sized: SizedPlan = { config, instance, renderer, stored, sizes, judges, machine: machineOf(host) };
  const judgement = await judge(sized);
  const isHere = config.model === "transformer" && config.backend !== "tinker";
  const tooLong = isHere ? await tooLongProblem({ ...plan, clock: host }, shapeOf(config, plan).maxPositions) : null;
  const { examples, isOnly } = heldOut(instance, config);
  return { ...judgement, problem: await problemOf(sized, judgement), tooLong, notice: fewProblems(examples.length, isOnly) };
}

function lastAssessment({ config: asked }: Planned, host: Host, open: () => Promise<Opened>): Promise<Assessment> {
  const config = JSON.stringify(asked);
  const last = assessed.get(host);
  if (last?.config === config) return last.found;
  const found = open().then((plan) => assess(plan, host));
  assessed.set(host, { config, found });
  // What failed once is tried again.
  found.catch(() => assessed.get(host)?.found === found && assessed.delete(host));
  return found;
}

/** The estimate of a planned run, with the problem if it does not fit and what is to be known of it. */
export async function estimateRun(plan: Planned, host: Host): Promise<MemoryEstimate> {
  const { estimate, problem, tooLong, notice } = await lastAssessment(plan, host, () => openPlan(plan, host));
  return { ...estimate, problem: (problem ?? tooLong)?.message ?? null, notice };
}

/**
 * Throws an InputError for a run that does not fit in the memory, or that is to begin with problems that are too long;
 * one that goes on leaves those out.
 */
export async function checkFits(plan: OpenedPlan, host: Host): Promise<void> {
  const { problem, tooLong } = await lastAssessment(plan, host, async () => plan);
  const found = problem ?? (plan.saved ? null : tooLong);
  if (found) throw new InputError([found]);
}
