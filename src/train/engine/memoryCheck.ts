// Refuses a run that would not fit in the memory, naming the setting whose value has to change least and
// the largest value of it that fits.
import type { RunConfig, RunConfigKey } from "../../protocol/config.ts";
import { bytesText, type MemoryEstimate } from "../../protocol/memory.ts";
import { InputError, type Problem } from "../../protocol/problems.ts";
import { fewProblems } from "../../rl/accuracy.ts";
import { heldOut } from "../evaluation.ts";
import type { Host } from "../host.ts";
import { shapeOf } from "../run/model.ts";
import type { RunPlan } from "../run/start.ts";
import { tooLongProblem } from "./problemLengths.ts";
import { type Judgement, judge, type SizedPlan, sizePlan } from "./runMemory.ts";

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

type Assessment = Judgement & {
  readonly problem: Problem | null;
  /** What is wrong with problems that have no room in the model's context. */
  readonly tooLong: Problem | null;
  /** What is to be known before such a run is started. */
  readonly notice: string | null;
};

/** What the configuration that was asked about last takes: the page shows it, and then that run is started. */
const assessed = new WeakMap<Host, { readonly config: string; readonly found: Promise<Assessment> }>();

async function assess(plan: Omit<RunPlan, "saved">, host: Host): Promise<Assessment> {
  const sized = await sizePlan(plan, host);
  const judgement = await judge(sized);
  const { config, renderer } = sized;
  const isHere = config.model === "transformer" && config.backend !== "tinker";
  const tooLong = isHere ? await tooLongProblem(sized, (await shapeOf(config, renderer, host)).maxPositions) : null;
  const { examples, isOnly } = heldOut(sized.instance, config);
  return { ...judgement, problem: await problemOf(sized, judgement), tooLong, notice: fewProblems(examples.length, isOnly) };
}

function lastAssessment(plan: Omit<RunPlan, "saved">, host: Host): Promise<Assessment> {
  const config = JSON.stringify(plan.config);
  const last = assessed.get(host);
  if (last?.config === config) return last.found;
  const found = assess(plan, host);
  assessed.set(host, { config, found });
  // What failed once is tried again.
  found.catch(() => assessed.get(host)?.found === found && assessed.delete(host));
  return found;
}

/** The estimate of a planned run, with the problem if it does not fit and what is to be known of it. */
export async function estimateRun(plan: Omit<RunPlan, "saved">, host: Host): Promise<MemoryEstimate> {
  const { estimate, problem, tooLong, notice } = await lastAssessment(plan, host);
  return { ...estimate, problem: (problem ?? tooLong)?.message ?? null, notice };
}

/** Throws an InputError for a run that is to begin with problems that are too long; one that goes on leaves them out. */
export async function checkLengths(plan: RunPlan, host: Host): Promise<void> {
  const { tooLong } = await lastAssessment(plan, host);
  if (tooLong && !plan.saved) throw new InputError([tooLong]);
}

/** Throws an InputError for a planned run that does not fit in the memory. */
export async function checkMemory(plan: RunPlan, host: Host): Promise<void> {
  const { problem } = await lastAssessment(plan, host);
  if (problem) throw new InputError([problem]);
}
