// Trains a configuration with one or two settings at several values, each combination from several seeds, and judges them; goes on
// with a sweep that ended in the middle.

import { basename, join } from "node:path";
import { percent, short } from "../../export/writtenRun.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { showValue } from "../../protocol/problems.ts";
import type { ExperimentPlan, Setting, VariedField } from "../../protocol/run/experimentPlan.ts";
import type { RunRecords } from "../../rl/verdict/history.ts";
import { CommandError, EXIT, type Facts } from "../lab/exit.ts";
import { type Call, defineVerb, type OptionSpecs, type OptionValues, READING_OPTIONS, type Report } from "../lab/verb.ts";
import type { ConfigFile } from "../training/configFile.ts";
import type { AskedSweep } from "../training/sweepFolder.ts";

const SEEDS = 3;

/** A value as it was written, which folders and labels show. */
interface WrittenField extends VariedField {
  readonly written: readonly string[];
}

/** "learningRate=0.1,0.5" as a field and its values. */
function readOver(word: string, readValue: (text: string) => unknown): WrittenField {
  const [field = "", list = ""] = word.split(/=(.*)/s);
  const written = list
    .split(",")
    .map((value) => value.trim())
    .filter(Boolean);
  if (field === "" || written.length < 2) throw new CommandError(overRule(showValue(word)));
  return { field, written, values: written.map(readValue) as readonly Setting[] as Setting[] };
}

const overRule = (got: string) => `--over must be KEY=A,B,... with two values or more (seed=0,1,2 runs one setting over seeds), got ${got}`;

/** One combination: its values, as they were written too, and its runs. */
interface Combination {
  readonly values: readonly Setting[];
  readonly written: readonly string[];
  readonly runs: readonly { readonly seed: number; readonly path: string; readonly config: RunConfig }[];
}

const inName = (text: string) => text.replaceAll(/[^\w.-]/g, "-");

/** All combinations, each run's configuration checked before the first is trained. */
async function combinationsIn(
  file: ConfigFile,
  over: readonly WrittenField[],
  count: number,
  out: string,
): Promise<readonly Combination[]> {
  const { planFile, withSettings } = await import("../training/configFile.ts");
  const { combinationsOf, seedsOf } = await import("../../protocol/run/experimentPlan.ts");
  const first = planFile(file).config.seed;
  const written = combinationsOf(over.map(({ field, written: values }) => ({ field, values: [...values] }))) as readonly string[][];
  return combinationsOf(over).map((values, place) => {
    const settings = over.map(({ field }, i) => ({ field, value: values[i], option: "--over" }));
    const runs = seedsOf(over, values, first, count).map((seed) => ({
      seed,
      path: join(out, `${written[place]!.map(inName).join("-")}-seed-${seed}`),
      config: planFile(withSettings(file, [...settings, { field: "seed", value: seed, option: "--seeds" }])).config,
    }));
    return { values, written: written[place]!, runs };
  });
}

/** The plan as the page writes it too; a run's id is the name of its folder. */
function planOf(out: string, base: RunConfig, over: readonly WrittenField[], combinations: readonly Combination[]): ExperimentPlan {
  return {
    version: 1,
    shape: "sweep",
    name: basename(out),
    base,
    over: over.map(({ field, values }) => ({ field, values })),
    combinations: combinations.map(({ values }) => ({
      values: [...values],
      settings: Object.fromEntries(over.map(({ field }, i) => [field, values[i]])),
    })),
    runs: combinations.flatMap(({ runs }, combination) =>
      runs.map(({ path, seed }) => ({ runId: basename(path).slice(0, 100), combination, seed })),
    ),
  };
}

/** What came of the runs so far, as the report lists them. */
interface SweptRuns {
  readonly sets: { readonly label: string; readonly runs: RunRecords[] }[];
  readonly parts: Facts[];
}

const options = {
  over: { kind: "list", value: "KEY=A,B,...", help: "A setting and its values; needed, given twice for all combinations of two." },
  seeds: { kind: "integer", value: "N", min: 1, max: 100, help: `Seeds of each value (${SEEDS}), counted up from the configuration's.` },
  set: { kind: "list", value: "KEY=VALUE", help: "Sets another field for all." },
  out: { kind: "text", value: "DIR", help: "Folder of the runs; by default a free one in runs/." },
  ...READING_OPTIONS,
  resume: {
    kind: "flag",
    help: "Go on with a sweep that ended in the middle, as it was begun: CONFIG is its folder. Runs that are over stay, the one that was under way goes on from its last save.",
  },
} as const satisfies OptionSpecs;
type SweepCall = Call<OptionValues<typeof options>>;

export const sweep = defineVerb({
  name: "sweep",
  help: "Train one or two settings at several values and seeds; says which is better, and how surely.",
  operands: ["CONFIG"],
  options,
  async run(call) {
    const { operands, options } = call;
    const { planFile, readConfigFile, readSetting, readYaml, withSettings } = await import("../training/configFile.ts");
    const { freeFolder } = await import("../folder/runFolder.ts");
    const { sweepRefusals } = await import("../../rl/race/sweptField.ts");
    const { catalog } = await import("../../train/catalog.ts");
    const { runConfigSchema } = await import("../../protocol/config.ts");
    const { checkSamePlan, readSweep } = await import("../training/sweepFolder.ts");
    const begun = options.resume ? await readSweep(resumedFolder(call)) : null;
    // A measure that is no measure is refused before anything trains.
    (await import("../runs/compareRuns.ts")).readingOf(options);
    const asked = begun?.asked ?? { config: operands[0]!, over: options.over, set: options.set, seeds: options.seeds ?? SEEDS };
    if (asked.over.length === 0) throw new CommandError(overRule("nothing"));
    const over = asked.over.map((word) => readOver(word, readYaml));
    const file = withSettings(await readConfigFile(asked.config), asked.set.map(readSetting));
    const base = planFile(file).config;
    const [refusal] = sweepRefusals(over, base, { keys: runConfigSchema.keyof().options, tasks: catalog.tasks });
    if (refusal) throw new CommandError(`--over: ${refusal}`);
    const name = over.map(({ field }) => field.replaceAll(/[^\w-]/g, "-")).join("-");
    const out = begun ? operands[0]! : (options.out ?? (await freeFolder(`${file.name}-over-${name}`)));
    if (!begun) await refuseBegun(out);
    else awaitsEnd(call);
    const combinations = await combinationsIn(file, over, asked.seeds, out);
    const plan = planOf(out, base, over, combinations);
    if (begun) checkSamePlan(out, asked.config, begun.plan, plan);
    return trained(call, file, { out, asked, over, combinations, plan });
  },
});

/** The folder of the sweep that goes on. Throws where something is set that only a new one can have. */
function resumedFolder({ operands, options: { over, set, seeds, out } }: SweepCall): string {
  const given = { "--over": over.length > 0, "--set": set.length > 0, "--seeds": seeds !== undefined, "--out": out !== undefined };
  const [begins] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
  if (begins) throw new CommandError(`${begins} is of a sweep that begins, and --resume goes on with one: leave one of them out`);
  return operands[0]!;
}

/** Throws where a sweep lies in a folder already. */
async function refuseBegun(out: string): Promise<void> {
  const { goesOnBy, readSweep } = await import("../training/sweepFolder.ts");
  const found = await readSweep(out).catch(() => null);
  if (found) throw new CommandError(`${out} holds a sweep already: ${goesOnBy(out)} goes on with it, or choose another --out`);
}

/** Has an interrupt answered by the sweep from here on, also while nothing trains: there is something to go on from, which it says. */
const awaitsEnd = ({ interrupt }: SweepCall) => interrupt.onAsked(() => {});

interface SweepInFolder {
  readonly out: string;
  readonly asked: AskedSweep;
  readonly over: readonly WrittenField[];
  readonly combinations: readonly Combination[];
  readonly plan: ExperimentPlan;
}

/** Trains all of it, one run after another, and says what it shows. */
async function trained(call: SweepCall, file: ConfigFile, sweeping: SweepInFolder): Promise<Report> {
  const { progress, interrupt, options } = call;
  const { out, asked, over, combinations, plan } = sweeping;
  const { writeJson } = await import("../folder/runFolder.ts");
  const { goesOnBy, sweepFile, trainSwept } = await import("../training/sweepFolder.ts");
  const { sets, parts }: SweptRuns = { sets: [], parts: [] };
  // What is to come is written before it comes.
  const isReady = () => {
    awaitsEnd(call);
    return writeJson(sweepFile(out), { out, asked, plan });
  };
  const interrupted = () =>
    new CommandError(`interrupted: the runs so far are in ${out}, and ${goesOnBy(out)} goes on from here`, EXIT.interrupted, {
      out,
      runs: parts,
      resume: goesOnBy(out),
    });
  for (const { values, written, runs } of combinations) {
    sets.push({ label: over.map(({ field }, i) => `${field} ${written[i]}`).join(", "), runs: [] });
    for (const run of runs) {
      if (interrupt.isAsked) throw interrupted();
      const result = await trainSwept(run, file, { asked, progress, interrupt, isReady }).catch((error: unknown) => {
        throw interrupt.isAsked ? interrupted() : error;
      });
      if (result.isInterrupted) throw interrupted();
      sets.at(-1)?.runs.push(result.records);
      const { accuracy, accuracyInterval, reward, seconds, verdict } = result.summary;
      const value = values.length === 1 ? values[0] : Object.fromEntries(over.map(({ field }, i) => [field, values[i]]));
      parts.push({ run: run.path, value, seed: run.seed, accuracy, accuracyInterval, finalReward: reward.final, seconds, verdict });
      progress.tell({ type: "part", run: run.path, accuracy, finalReward: reward.final });
    }
  }
  return reported(sweeping, { sets, parts }, options);
}

async function reported(
  { out, asked, over, plan }: SweepInFolder,
  { sets, parts }: SweptRuns,
  options: SweepCall["options"],
): Promise<Report> {
  const { writeJson } = await import("../folder/runFolder.ts");
  const { compareSets, readingOf } = await import("../runs/compareRuns.ts");
  const { LEVEL } = await import("../../rl/race/judgeRace.ts");
  const { facts, text } = compareSets(sets, readingOf(options), "sweep");
  const pairs = (sets.length * (sets.length - 1)) / 2;
  const correction = { method: "Bonferroni", pairs, level: LEVEL / pairs };
  const fields = over.map(({ field }) => field);
  const report = { out, asked, over: fields.length === 1 ? fields[0] : fields, plan, runs: parts, comparison: facts, correction };
  await writeJson(join(out, "sweep.json"), report);
  const lines = parts.map(
    ({ run, accuracy, finalReward, verdict }) =>
      `  ${run}  accuracy ${percent(accuracy as number | null)}, reward ${short(finalReward as number | null)}, ${verdict}`,
  );
  const corrected = `${pairs === 1 ? "one comparison" : `${pairs} comparisons, each at a level of ${short(correction.level)}`} (Bonferroni: together wrong in at most ${percent(LEVEL)} of sweeps)`;
  return { facts: report, text: `${text}\n${corrected}\n${lines.join("\n")}` };
}
