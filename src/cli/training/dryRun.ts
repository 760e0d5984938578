// What a run would be: its whole configuration, what of it was given and has no effect, its memory and time.

import { inertFields, isSame } from "../../protocol/config/configFacts.ts";
import type { RunConfigKey } from "../../protocol/config.ts";
import { bytesText } from "../../protocol/memory.ts";
import { catalog } from "../../train/catalog.ts";
import { estimateRun } from "../../train/engine/memoryCheck.ts";
import type { Host } from "../../train/host.ts";
import { planRun } from "../../train/run/start.ts";
import { freeFolder } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import { columns, count, duration } from "../lab/texts.ts";
import type { Report } from "../lab/verb.ts";
import { type ConfigFile, planFile } from "./configFile.ts";
import { tryRun } from "./trialRun.ts";

/** The plan of a run that is not trained. */
export async function dryRun(file: ConfigFile, out: string | null, host: Host): Promise<Report> {
  const plan = planFile(file);
  const { config } = plan;
  const memory = await estimateRun(plan, host);
  if (memory.problem) throw new CommandError(`${file.path}: ${memory.problem}`);
  const trial = await tryRun(config, host);
  const { task, algorithm } = config;
  const { config: defaults } = planRun({ config: { task, algorithm } }, file.loaded?.additions);
  const keys = Object.keys(config) as RunConfigKey[];
  const changed = keys.filter((key) => !isSame(config[key], defaults[key]));
  const inert = inertFields(config, [...catalog.tasks, ...(file.loaded?.additions.tasks ?? []).map(({ entry }) => entry)]).filter(
    ({ key }) => key in file.input,
  );
  const data = file.loaded?.data ?? null;
  const run = out ?? (await freeFolder(file.name));
  const time = trial.seconds === null ? "no last step" : duration(trial.seconds);
  const rows = [
    ...changed.map((key) => [`  ${key}`, JSON.stringify(config[key])]),
    ...inert.map(({ key, reason }) => [`  ${key}`, `has no effect: ${reason}`]),
    ...(data ? [["data", data.rows]] : []),
    ...(data?.overlap ? [["  note", data.overlap]] : []),
    ["memory", `${bytesText(memory.bytes)} on ${memory.backend}`],
    [
      "time",
      `${time}: ${duration(trial.secondsPerStep)} a step of ${count(trial.tokensPerStep)} tokens, ${duration(trial.secondsPerEvaluation)} an evaluation`,
    ],
    ["computes", `${trial.backend.title}: ${trial.backend.reason}`],
    ["run", run],
  ];
  return {
    facts: { dryRun: true, run, config, data, inert, memory, time: trial },
    text: `what differs from ${task} and ${algorithm} as they come:\n${columns(rows)}\nnothing was trained; without --dry-run it is.`,
  };
}
