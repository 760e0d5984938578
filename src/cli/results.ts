// Regenerates the committed results: trains every preset on several seeds, writes each run's curves as
// a file and one table that says what was reached. Arguments name experiments, or a whole folder of
// them; without any, all run. At the end it says what moved against the files that were there.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { type TrainedRun, trainRun } from "../library/trainRun.ts";
import { CONFIG_VERSION } from "../protocol/config/migrations.ts";
import { meanOf } from "../rl/advantage/statistics.ts";
import { type Experiment, experiments } from "./experiments.ts";
import { committedResult, movedResult } from "./movedResult.ts";
import { createNodeHost } from "./nodeHost.ts";

const FOLDER = "results";

interface ResultFile {
  readonly experiment: string;
  readonly seed: number;
  readonly config: Experiment["config"];
  readonly machine: string;
  readonly backend: string;
  readonly threads: number;
  readonly seconds: number;
  readonly baselines: TrainedRun["baselines"];
  readonly evaluations: TrainedRun["evaluations"];
  /** One row a step: reward, KL, entropy, completion length; with a critic its explained variance. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (number | null)[])[];
}

const COLUMNS = ["reward", "success_rate", "kl", "entropy", "completions/mean_length", "grad_norm", "frac_reward_zero_std"] as const;
const EXPLAINED = "value/explained_variance";
/** Steps over which the explained variance is averaged. */
const WINDOW = 20;

function resultOf(experiment: Experiment, seed: number, run: TrainedRun): ResultFile {
  const columns = run.steps.some(({ metrics }) => EXPLAINED in metrics) ? [...COLUMNS, EXPLAINED] : COLUMNS;
  const round = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(6)));
  return {
    experiment: experiment.id,
    seed,
    config: { version: CONFIG_VERSION, ...experiment.config },
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`,
    backend: run.backend.id,
    threads: run.backend.threads,
    seconds: Number(run.seconds.toFixed(2)),
    baselines: run.baselines,
    evaluations: run.evaluations,
    columns: ["step", ...columns],
    rows: run.steps.map(({ step, metrics }) => [step, ...columns.map((column) => round(metrics[column]))]),
  };
}

/** A row for a run with a critic: explained variance, mean of its best 20 steps in a row and of its first. */
function criticRow({ experiment, seed, columns, rows }: ResultFile): string | null {
  const column = columns.indexOf(EXPLAINED);
  if (column < 0) return null;
  const means = rows.slice(WINDOW - 1).map((_, start) => {
    const window = rows.slice(start, start + WINDOW).flatMap((row) => row[column] ?? []);
    return meanOf(window);
  });
  const best = means.reduce((top, mean, start) => (mean > means[top]! ? start : top), 0);
  const place = `${best + 1} to ${best + WINDOW}`;
  return `| [${experiment}](${experiment}/seed-${seed}.json) | ${seed} | ${means[0]?.toFixed(2)} | ${means[best]?.toFixed(2)} | ${place} |`;
}

/** Runs that sample the right answer less often than this are explained below the table. */
const EXPLAINED_BELOW = 0.9;
const UNEXPLAINED = "No reason is known.";

async function writeTable(): Promise<void> {
  const critics: string[] = [];
  const reasons: string[] = [];
  const noteOf = (reason: string) => `[${reasons.includes(reason) ? reasons.indexOf(reason) + 1 : reasons.push(reason)}](#below-90-)`;
  const percent = (value: number | undefined) => (value === undefined ? "-" : (100 * value).toFixed(1));
  const lines = [
    "# Results",
    "",
    "Made by `npm run results`; each row is one run, its curves are in the file beside it. Accuracy is on held-out problems, in percent, with its 95 % interval; the one greedy answer to a task of one prompt has none.",
    "",
    "| experiment | seed | random | start, greedy | end, greedy | start, sampled | end, sampled | why below 90 | steps | seconds | backend |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
  ];
  for (const { id, seeds, whyBelow90 = UNEXPLAINED } of experiments) {
    for (const seed of seeds) {
      let result: ResultFile;
      try {
        result = JSON.parse(await readFile(`${FOLDER}/${id}/seed-${seed}.json`, "utf8"));
      } catch {
        continue;
      }
      critics.push(...[criticRow(result)].filter((row) => row !== null));
      const first = result.evaluations[0];
      const last = result.evaluations.at(-1);
      const interval = (range: readonly [number, number] | undefined) =>
        range && range[0] < range[1] ? ` (${percent(range[0])} to ${percent(range[1])})` : "";
      const note = last && last.sampledAccuracy < EXPLAINED_BELOW ? noteOf(whyBelow90) : "";
      const random = result.baselines.find(({ kind }) => kind === "random");
      lines.push(
        `| [${id}](${id}/seed-${seed}.json) | ${seed} | ${percent(random?.accuracy)} | ${percent(first?.greedyAccuracy)}${interval(first?.greedyInterval)} | ${percent(last?.greedyAccuracy)}${interval(last?.greedyInterval)} | ${percent(first?.sampledAccuracy)}${interval(first?.sampledInterval)} | ${percent(last?.sampledAccuracy)}${interval(last?.sampledInterval)} | ${note} | ${result.rows.length} | ${result.seconds} | ${result.backend}, ${result.threads} threads |`,
      );
    }
  }
  if (reasons.length > 0) lines.push("", "## Below 90 %", "", ...reasons.map((reason, index) => `${index + 1}. ${reason}`));
  lines.push(
    "",
    "## Critics",
    "",
    `Explained variance of the critic, mean of ${WINDOW} steps in a row. It counts all that changes the return: a KL in the reward falls due token by token, so a critic that only counts tokens explains some of it; the longer digit sum has none.`,
    "",
    "| experiment | seed | first steps | best steps | which |",
    "|---|---|---|---|---|",
    ...critics,
  );
  await writeFile(`${FOLDER}/README.md`, `${lines.join("\n")}\n`);
}

const wanted = process.argv.slice(2);
const isNamed = ({ id }: Experiment, name: string) => id === name || id.startsWith(`${name}/`);
const unknown = wanted.filter((name) => !experiments.some((experiment) => isNamed(experiment, name)));
if (unknown.length > 0)
  throw new Error(`unknown experiment ${unknown.join(", ")}, choose from ${experiments.map(({ id }) => id).join(", ")}`);
const moved: string[] = [];
let made = 0;
for (const experiment of experiments) {
  if (wanted.length > 0 && !wanted.some((name) => isNamed(experiment, name))) continue;
  for (const seed of experiment.seeds) {
    const run = await trainRun({ ...experiment.config, seed }, createNodeHost());
    const result = resultOf(experiment, seed, run);
    await run.close();
    await mkdir(`${FOLDER}/${experiment.id}`, { recursive: true });
    const path = `${FOLDER}/${experiment.id}/seed-${seed}.json`;
    const before = await readFile(path, "utf8").then(committedResult, () => null);
    await writeFile(path, `${JSON.stringify(result)}\n`);
    const news = movedResult(before, result);
    if (news !== null) moved.push(`${experiment.id} seed ${seed}: ${news}`);
    made += 1;
    const first = run.evaluations[0];
    const last = run.evaluations.at(-1);
    console.log(
      `${experiment.id} seed ${seed}: greedy ${first?.greedyAccuracy.toFixed(3)} -> ${last?.greedyAccuracy.toFixed(3)}, sampled ${first?.sampledAccuracy.toFixed(3)} -> ${last?.sampledAccuracy.toFixed(3)}, ${run.seconds.toFixed(1)} s`,
    );
  }
}
await writeTable();
console.log(moved.length === 0 ? `All ${made} runs are as committed.` : `${moved.length} of ${made} runs moved:\n  ${moved.join("\n  ")}`);
process.exit(0);
