// Trains a configuration with one or two settings at several values, each combination from several seeds, and judges them.

import { basename, join } from "node:path";
import { percent, short } from "../../export/writtenRun.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { showValue } from "../../protocol/problems.ts";
import { combinationsOf, type SweepPlan, type SweptField, type SweptValue, seedsOf } from "../../protocol/run/sweepPlan.ts";
import type { RunRecords } from "../../rl/verdict/history.ts";
import { CommandError, type Facts } from "../lab/exit.ts";
import { type Call, defineVerb, type Report } from "../lab/verb.ts";
import type { ConfigFile } from "../training/configFile.ts";

const SEEDS = 3;

/** A value as it was written, which folders and labels show. */
interface WrittenField extends SweptField {
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
  return { field, written, values: written.map(readValue) as readonly SweptValue[] as SweptValue[] };
}

const overRule = (got: string) => `--over must be KEY=A,B,... with two values or more (seed=0,1,2 runs one setting over seeds), got ${got}`;

/** One combination: its values, as they were written too, and its runs. */
interface Combination {
  readonly values: readonly SweptValue[];
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
function planOf(out: string, base: RunConfig, over: readonly WrittenField[], combinations: readonly Combination[]): SweepPlan {
  return {
    ...{ version: 1, name: basename(out), base, over: over.map(({ field, values }) => ({ field, values })) },
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

export const sweep = defineVerb({
  name: "sweep",
  help: "Train one or two settings at several values and seeds; says which is better, and how surely.",
  operands: ["CONFIG"],
  options: {
    over: { kind: "list", value: "KEY=A,B,...", help: "A setting and its values; needed, given twice for all combinations of two." },
    seeds: { kind: "integer", value: "N", min: 1, max: 100, help: `Seeds of each value (${SEEDS}), counted up from the configuration's.` },
    set: { kind: "list", value: "KEY=VALUE", help: "Sets another field for all." },
    out: { kind: "text", value: "DIR", help: "Folder of the runs; by default a free one in runs/." },
  },
  async run(call) {
    const { operands, options } = call;
    const { planFile, readConfigFile, readSetting, readYaml, withSettings } = await import("../training/configFile.ts");
    const { freeFolder } = await import("../folder/runFolder.ts");
    const { sweepRefusals } = await import("../../rl/race/sweptField.ts");
    const { catalog } = await import("../../train/catalog.ts");
    const { runConfigSchema } = await import("../../protocol/config.ts");
    if (options.over.length === 0) throw new CommandError(overRule("nothing"));
    const over = options.over.map((word) => readOver(word, readYaml));
    const file = withSettings(await readConfigFile(operands[0]!), options.set.map(readSetting));
    const base = planFile(file).config;
    const [refusal] = sweepRefusals(over, base, { keys: runConfigSchema.keyof().options, tasks: catalog.tasks });
    if (refusal) throw new CommandError(`--over: ${refusal}`);
    const name = over.map(({ field }) => field.replaceAll(/[^\w-]/g, "-")).join("-");
    const out = options.out ?? (await freeFolder(`${file.name}-over-${name}`));
    const combinations = await combinationsIn(file, over, options.seeds ?? SEEDS, out);
    return trained(call, file, { out, over, combinations, plan: planOf(out, base, over, combinations) });
  },
});

interface SweepInFolder {
  readonly out: string;
  readonly over: readonly WrittenField[];
  readonly combinations: readonly Combination[];
  readonly plan: SweepPlan;
}

/** Trains all of it, one run after another, and says what it shows. */
async function trained({ operands, progress, interrupt }: Call<unknown>, file: ConfigFile, sweeping: SweepInFolder): Promise<Report> {
  const { out, over, combinations, plan } = sweeping;
  const { createRunFolder, writeJson } = await import("../folder/runFolder.ts");
  const { trainInFolder } = await import("../training/trainInFolder.ts");
  const { hostOf } = await import("../training/runHost.ts");
  const { sets, parts }: SweptRuns = { sets: [], parts: [] };
  for (const { values, written, runs } of combinations) {
    sets.push({ label: over.map(({ field }, i) => `${field} ${written[i]}`).join(", "), runs: [] });
    for (const { seed, path, config } of runs) {
      const folder = await createRunFolder(path, { name: file.name, config: operands[0], ...file.loaded?.named });
      // What is to come is written before it comes.
      if (parts.length === 0) await writeJson(join(out, "sweep.json"), { out, plan });
      const { summary, recorder, isInterrupted } = await trainInFolder({
        folder,
        from: { config, parent: null },
        host: await hostOf(config, { contents: file.contents, ...(file.loaded ? { additions: file.loaded.additions } : {}) }),
        trajectories: 0,
        progress,
        interrupt,
      });
      if (isInterrupted) throw new CommandError(`interrupted: the runs so far are in ${out}`, 130, { out, runs: parts });
      sets.at(-1)?.runs.push(recorder.recorded);
      const { accuracy, accuracyInterval, reward, seconds, verdict } = summary;
      const value = values.length === 1 ? values[0] : Object.fromEntries(over.map(({ field }, i) => [field, values[i]]));
      parts.push({ run: path, value, seed, accuracy, accuracyInterval, finalReward: reward.final, seconds, verdict });
      progress.tell({ type: "part", run: path, accuracy, finalReward: reward.final });
    }
  }
  return reported(sweeping, { sets, parts });
}

async function reported({ out, over, plan }: SweepInFolder, { sets, parts }: SweptRuns): Promise<Report> {
  const { writeJson } = await import("../folder/runFolder.ts");
  const { compareSets } = await import("../runs/compareRuns.ts");
  const { LEVEL } = await import("../../rl/race/judgeRace.ts");
  const { facts, text } = compareSets(sets, "steps", "sweep");
  const pairs = (sets.length * (sets.length - 1)) / 2;
  const correction = { method: "Bonferroni", pairs, level: LEVEL / pairs };
  const fields = over.map(({ field }) => field);
  const report = { out, over: fields.length === 1 ? fields[0] : fields, plan, runs: parts, comparison: facts, correction };
  await writeJson(join(out, "sweep.json"), report);
  const lines = parts.map(
    ({ run, accuracy, finalReward, verdict }) =>
      `  ${run}  accuracy ${percent(accuracy as number | null)}, reward ${short(finalReward as number | null)}, ${verdict}`,
  );
  const corrected = `${pairs === 1 ? "one comparison" : `${pairs} comparisons, each at a level of ${short(correction.level)}`} (Bonferroni: together wrong in at most ${percent(LEVEL)} of sweeps)`;
  return { facts: report, text: `${text}\n${corrected}\n${lines.join("\n")}` };
}
