// Trains a configuration with one setting at several values, each from several seeds, and judges them.

import { join } from "node:path";
import { percent, short } from "../../export/writtenRun.ts";
import { showValue } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";

const SEEDS = 3;

/** "learningRate=0.1,0.5" as a field and its values. */
function readOver(word: string | undefined): { readonly field: string; readonly values: readonly string[] } {
  const [field = "", list = ""] = (word ?? "").split(/=(.*)/s);
  const values = list
    .split(",")
    .map((value) => value.trim())
    .filter(Boolean);
  if (field !== "" && values.length >= 2) return { field, values };
  throw new CommandError(
    `--over must be KEY=A,B,... with two values or more (seed=0,1,2 runs one setting over seeds), got ${word === undefined ? "nothing" : showValue(word)}`,
  );
}

export const sweep = defineVerb({
  name: "sweep",
  help: "Train one setting at several values and seeds; says which is better, and how surely.",
  operands: ["CONFIG"],
  options: {
    over: { kind: "text", value: "KEY=A,B,...", help: "The setting and its values; needed." },
    seeds: { kind: "integer", value: "N", min: 1, max: 100, help: `Seeds of each value (${SEEDS}), counted up from the configuration's.` },
    set: { kind: "list", value: "KEY=VALUE", help: "Sets another field for all." },
    out: { kind: "text", value: "DIR", help: "Folder of the runs; by default a free one in runs/." },
  },
  async run({ operands, options, progress, interrupt }) {
    const { planFile, readConfigFile, readSetting, readYaml, withSettings } = await import("../training/configFile.ts");
    const { createRunFolder, freeFolder, writeJson } = await import("../folder/runFolder.ts");
    const { trainInFolder } = await import("../training/trainInFolder.ts");
    const { compareSets } = await import("../runs/compareRuns.ts");
    const { LEVEL } = await import("../../rl/race/judgeRace.ts");
    const { hostOf } = await import("../training/runHost.ts");
    const { field, values } = readOver(options.over);
    const file = withSettings(await readConfigFile(operands[0]!), options.set.map(readSetting));
    const first = planFile(file).config.seed;
    const plans = values.map((value) => {
      const setting = { field, value: readYaml(value), option: "--over" };
      const seeds = field === "seed" ? [Number(value)] : Array.from({ length: options.seeds ?? SEEDS }, (_, i) => first + i);
      // All are checked before the first is trained.
      const runs = seeds.map((seed) => ({
        seed,
        config: planFile(withSettings(file, [setting, { field: "seed", value: seed, option: "--seeds" }])).config,
      }));
      return { value, runs };
    });
    const out = options.out ?? (await freeFolder(`${file.name}-over-${field.replaceAll(/[^\w-]/g, "-")}`));
    const sets = [];
    const parts = [];
    for (const { value, runs } of plans) {
      const recorded = [];
      for (const { seed, config } of runs) {
        const path = join(out, `${value.replaceAll(/[^\w.-]/g, "-")}-seed-${seed}`);
        const folder = await createRunFolder(path, { name: file.name, config: operands[0], ...file.loaded?.named });
        const { summary, recorder, isInterrupted } = await trainInFolder({
          folder,
          from: { config, parent: null },
          host: await hostOf(config, file.loaded ? { additions: file.loaded.additions } : {}),
          trajectories: 0,
          progress,
          interrupt,
        });
        if (isInterrupted) throw new CommandError(`interrupted: the runs so far are in ${out}`, 130, { out, runs: parts });
        recorded.push(recorder.recorded);
        const { accuracy, accuracyInterval, reward, seconds, verdict } = summary;
        parts.push({ run: path, value: readYaml(value), seed, accuracy, accuracyInterval, finalReward: reward.final, seconds, verdict });
        progress.tell({ type: "part", run: path, accuracy, finalReward: reward.final });
      }
      sets.push({ label: `${field} ${value}`, runs: recorded });
    }
    const { facts, text } = compareSets(sets, "steps");
    const pairs = (values.length * (values.length - 1)) / 2;
    const correction = { method: "Bonferroni", pairs, level: LEVEL / pairs };
    const report = { out, over: field, runs: parts, comparison: facts, correction };
    await writeJson(join(out, "sweep.json"), report);
    const lines = parts.map(
      (part) => `  ${part.run}  accuracy ${percent(part.accuracy)}, reward ${short(part.finalReward)}, ${part.verdict}`,
    );
    const corrected = `${pairs === 1 ? "one comparison" : `${pairs} comparisons, each at a level of ${short(correction.level)}`} (Bonferroni: together wrong in at most ${percent(LEVEL)} of sweeps)`;
    return { facts: report, text: `${text}\n${corrected}\n${lines.join("\n")}` };
  },
});
