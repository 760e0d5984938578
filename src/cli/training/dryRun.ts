// What a run would be: its whole configuration, what of it was given and has no effect, its memory and time.

import { inertFields, isSame } from "../../protocol/config/configFacts.ts";
import type { RunConfigKey } from "../../protocol/config.ts";
import { bytesText } from "../../protocol/memory.ts";
import { measureText } from "../../protocol/quantities.ts";
import { judgeFirstStep } from "../../rl/diagnosis/firstStep.ts";
import { catalog } from "../../train/catalog.ts";
import type { Host } from "../../train/host.ts";
import { estimateRun } from "../../train/memory/memoryCheck.ts";
import { planRun, type RunPlan } from "../../train/start/plan.ts";
import { reachServer, referenceText } from "../../train/start/serverRun.ts";
import { tryStep } from "../../train/tried/tryStep.ts";
import { freeFolder } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import { columns, count, duration } from "../lab/texts.ts";
import type { Report } from "../lab/verb.ts";
import { type ConfigFile, planFile } from "./configFile.ts";
import { type Prices, planOnServer, readPrices } from "./serverPlan.ts";
import { type Trial, tryRun } from "./trialRun.ts";

const LONGEST_SHOWN = 100;

interface DryRunOptions {
  /** The run's folder; a free one where null. */
  readonly out: string | null;
  /** Prices of a server, as given. */
  readonly prices: string | null;
  /** Whether the first step's answers are sampled and judged. */
  readonly samples: boolean;
}

/** The plan of a run that is not trained. */
export async function dryRun(file: ConfigFile, { out, prices, samples }: DryRunOptions, host: Host): Promise<Report> {
  const plan = planFile(file);
  const { config } = plan;
  const { notice, ...memory } = await estimateRun(plan, host);
  if (memory.problem) throw new CommandError(`${file.path}: ${memory.problem}`);
  const tried = samples ? await sampled(plan, host) : null;
  const cost = prices === null ? null : readPrices(prices);
  const server = config.backend === "tinker" ? await reachedPlan(plan, host, cost) : null;
  const trial = server ? null : await tryRun(config, host);
  const { task, algorithm } = config;
  // A task that stands in the configuration has no other place, nor has what says which of its answers are good.
  const { customTasks, customRewards, judges, rewardRules } = config;
  const own = Object.hasOwn(customTasks, task) ? { customTasks, customRewards, judges, rewardRules } : {};
  const { config: defaults } = planRun({ config: { task, algorithm, ...own } }, file.loaded?.additions);
  const keys = Object.keys(config) as RunConfigKey[];
  const changed = keys.filter((key) => !isSame(config[key], defaults[key]));
  const inert = inertFields(config, [...catalog.tasks, ...(file.loaded?.additions.tasks ?? []).map(({ entry }) => entry)]).filter(
    ({ key }) => key in file.input,
  );
  const data = file.loaded?.data ?? null;
  const run = out ?? (await freeFolder(file.name));
  const rows = [
    ...changed.map((key) => [`  ${key}`, JSON.stringify(config[key])]),
    ...inert.map(({ key, reason }) => [`  ${key}`, `has no effect: ${reason}`]),
    ...(data ? [["data", data.rows]] : []),
    ...(data?.notes ?? []).map((note) => ["  note", note]),
    ...(notice === null ? [] : [["note", notice]]),
    ["memory", `${bytesText(memory.bytes)} on ${memory.backend}`],
    ...(trial ? trialRows(trial) : []),
    ...(tried ? sampleRows(tried) : []),
    ...(server ? serverRows(server) : []),
    ["run", run],
  ];
  return {
    facts: {
      dryRun: true,
      run,
      config,
      data,
      inert,
      memory,
      notices: notice === null ? [] : [notice],
      ...(trial ? { time: trial } : {}),
      ...(tried ? { sample: tried } : {}),
      ...(server ? { server } : {}),
    },
    text: `what differs from ${task} and ${algorithm} as they come:\n${columns(rows)}\nnothing was trained; without --dry-run it is.`,
  };
}

function trialRows(trial: Trial): readonly (readonly [string, string])[] {
  const time = trial.seconds === null ? "no last step" : duration(trial.seconds);
  const { secondsPerStep, tokensPerStep, secondsPerEvaluation, backend } = trial;
  return [
    [
      "time",
      `${time}: ${duration(secondsPerStep)} a step of ${count(tokensPerStep)} tokens, ${duration(secondsPerEvaluation)} an evaluation`,
    ],
    ["computes", `${backend.title}: ${backend.reason}`],
  ];
}

/** What the first step's answers come to. */
async function sampled(plan: RunPlan, host: Host) {
  const tried = await tryStep(plan, host, () => {});
  const { says, findings } = judgeFirstStep(tried, plan.config);
  return { says, findings, ...tried };
}

/** A text on one line, so long that it can be read at a glance. */
const shortText = (text: string): string => JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)} …` : text);

function sampleRows({ says, findings, examples }: Awaited<ReturnType<typeof sampled>>): readonly (readonly [string, string])[] {
  return [
    ["sampled", says],
    ...findings.flatMap(({ title, evidence, tries }) => [
      [`  ${title.toLowerCase()}`, evidence] as const,
      ["  try", tries.join(" ")] as const,
    ]),
    ...examples.map(
      ({ text, reward, isCut }) =>
        [`  ${reward === null ? "unscored" : measureText(reward)}`, `${shortText(text)}${isCut ? " (cut off)" : ""}`] as const,
    ),
  ];
}

/** What a run would ask of its server, which is reached for it and has the model. */
async function reachedPlan(plan: RunPlan, host: Host, prices: Prices | null) {
  const { server, baseModel } = await reachServer(plan.config, host);
  return { name: server.name, model: baseModel, reference: referenceText(plan.config), ...(await planOnServer(plan, host, prices)) };
}

function serverRows({
  name,
  model,
  reference,
  perStep,
  whole,
}: Awaited<ReturnType<typeof reachedPlan>>): readonly (readonly [string, string])[] {
  const tokens = (of: typeof perStep) =>
    `at most ${count(of.sample)} tokens sampled, ${count(of.prefill)} read before, ${count(of.forward)} scored, ${count(of.train)} trained on, in some ${count(of.requests)} requests`;
  return [
    ["server", `${name} with ${model}`],
    ["reference", reference],
    ["a step", tokens(perStep)],
    ...(whole ? [["the run", tokens(whole)] as const] : []),
    ...(whole && whole.cost !== null ? [["cost", `at most ${whole.cost.toFixed(2)}, at the prices given`] as const] : []),
  ];
}
