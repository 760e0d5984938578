// An experiment: one configuration, combinations of settings that stand in it from the start or from a step on, and each of them from
// several seeds. A race, a fork and a sweep are shapes of it. The command line writes the plan beside the runs' folders, the page keeps
// it, and both say the same of what came of it.
import type { RunConfig } from "../config.ts";
import { z } from "../zod.ts";

/** Fields of one experiment at most, and how much of it a page takes on. */
export const EXPERIMENT_LIMITS = { fields: 2, combinations: 24, seeds: 10, runs: 120 } as const;

const settingSchema = z.union([z.string(), z.number(), z.boolean()]);
/** A value that a field varies over. */
export type Setting = z.output<typeof settingSchema>;

const variedFieldSchema = z.strictObject({
  /** Dotted where it is an entry of a record: "taskOptions.length". */
  field: z.string().min(1).max(80),
  values: z.array(settingSchema).min(1).max(1000),
});
export type VariedField = z.output<typeof variedFieldSchema>;

export const experimentPlanSchema = z
  .strictObject({
    version: z.literal(1),
    /** What it is called by whoever reads it: "race", "fork", "sweep". */
    shape: z.string().min(1).max(40).default("sweep"),
    /** What its runs are tagged with: "sweep 3". */
    name: z.string().min(1).max(80),
    /** What all runs share; nobody reads it but whoever starts them, where it is checked. */
    base: z.custom<RunConfig>((value) => typeof value === "object" && value !== null && !Array.isArray(value), "must be an object"),
    over: z.array(variedFieldSchema).max(EXPERIMENT_LIMITS.fields),
    combinations: z.array(
      z.strictObject({
        /** One for each swept field, in their order. */
        values: z.array(settingSchema),
        /** All that these values set: an algorithm sets its switches as well. */
        settings: z.record(z.string(), z.unknown()),
        /** The finished steps that come before these settings hold; they hold from the start where it is left out. */
        afterStep: z.int().min(0).optional(),
      }),
    ),
    runs: z.array(
      z.strictObject({
        runId: z.string().min(1).max(100),
        combination: z.int().min(0),
        seed: z
          .int()
          .min(0)
          .max(2 ** 32 - 1),
        /** It is trained on the screen Train, and the experiment only reads it: the run that branches leave. */
        isElsewhere: z.literal(true).optional(),
      }),
    ),
  })
  .refine(
    ({ runs, combinations }) => runs.every(({ combination }) => combination < combinations.length),
    "a run must name one of the combinations",
  );
/** What is to be trained, and under which names it is kept. */
export type ExperimentPlan = z.output<typeof experimentPlanSchema>;
type PlannedRun = ExperimentPlan["runs"][number];

/** All combinations of the values, those of the last field next to each other. */
export function combinationsOf(over: readonly VariedField[]): readonly (readonly Setting[])[] {
  return over.reduce<readonly (readonly Setting[])[]>(
    (combinations, { values }) => combinations.flatMap((before) => values.map((value) => [...before, value])),
    [[]],
  );
}

/** The seeds of a combination's runs: the one that varies, else so many from the first on. */
export function seedsOf(over: readonly VariedField[], combination: readonly Setting[], first: number, count: number): readonly number[] {
  const place = over.findIndex(({ field }) => field === "seed");
  return place >= 0 ? [Number(combination[place])] : Array.from({ length: count }, (_, i) => (first + i) % 2 ** 32);
}

/** How combinations are told apart: "A" to "Z", then "A2". */
export function combinationLetter(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26));
  return place < 26 ? letter : `${letter}${Math.floor(place / 26) + 1}`;
}

/** A record with a dotted entry set. */
function withEntry(record: Readonly<Record<string, unknown>>, [key = "", ...rest]: readonly string[], value: unknown) {
  if (rest.length === 0) return { ...record, [key]: value };
  return { ...record, [key]: { ...(record[key] as object | undefined), [rest.join(".")]: value } };
}

/** Settings by their dotted names on top of a configuration. */
export function withSettings<C extends object>(config: C, settings: Readonly<Record<string, unknown>>): C {
  return Object.entries(settings).reduce<Readonly<Record<string, unknown>>>(
    (set, [name, value]) => withEntry(set, name.split("."), value),
    config as Readonly<Record<string, unknown>>,
  ) as C;
}

/** What one run of a plan is trained with. */
export function configOfPlanned({ base, combinations }: Pick<ExperimentPlan, "base" | "combinations">, run: PlannedRun): RunConfig {
  const { settings, afterStep } = combinations[run.combination]!;
  if (afterStep === undefined) return { ...withSettings(base, settings), seed: run.seed };
  const change = { afterStep, settings } as RunConfig["changes"][number];
  return { ...base, changes: [...base.changes, change], seed: run.seed };
}
