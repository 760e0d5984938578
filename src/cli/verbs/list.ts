// The runs in a folder.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { percent, short } from "../../export/writtenRun.ts";
import { errorText } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { columns, sparkline } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";

interface Place {
  readonly run: string;
  readonly training: boolean;
}
interface RecordedFacts extends Place {
  readonly task: string;
  readonly algorithm: string;
  readonly seed: number;
  readonly step: number;
  readonly steps: number;
  readonly reward: number | null;
  readonly accuracy: number | null;
  readonly verdict: string;
  readonly curve: string;
}
type ListedRun = RecordedFacts | (Place & { readonly problem: string });

function rowOf(each: ListedRun): readonly string[] {
  if ("problem" in each) return [each.run, each.problem];
  const { run, task, algorithm, seed, step, steps, curve, reward, accuracy, training, verdict } = each;
  const learned = `${curve} ${short(reward)}`;
  return [run, task, algorithm, `seed ${seed}`, `${step}/${steps}`, learned, percent(accuracy), training ? "training" : verdict];
}

export const list = defineVerb({
  name: "list",
  help: "List the runs in a folder, newest first.",
  operands: ["[DIR]"],
  options: {},
  async run({ operands }) {
    const { findRun, isStarted, listRuns, RUNS, trainerOf } = await import("../folder/runFolder.ts");
    const { historyOf } = await import("../../export/writtenRun.ts");
    const { lastEvaluation, readRecords } = await import("../folder/recordedRun.ts");
    const { judgeRun } = await import("../../rl/verdict.ts");
    const { endsOf } = await import("../../rl/verdict/history.ts");
    const folder = operands[0] ?? RUNS;
    // Before the first run there is no folder of runs, which is nothing wrong.
    if (operands[0] !== undefined && !(await stat(folder).catch(() => null))?.isDirectory())
      throw new CommandError(`there is no folder ${folder}: rollout-lab list shows those in ${RUNS}/`);
    const runs: ListedRun[] = [];
    for (const name of await listRuns(folder)) {
      const path = join(folder, name);
      const isTraining = (await trainerOf({ path })) !== null;
      try {
        if (!(await isStarted({ path }))) {
          const problem = isTraining ? "is being prepared" : "ended before its first step: train it again";
          runs.push({ run: path, training: isTraining, problem });
          continue;
        }
        const recorded = await readRecords(await findRun(path));
        const history = historyOf(recorded);
        const { config, steps } = recorded;
        const key = config.kind === "supervised" ? "loss" : "reward";
        const facts = {
          task: config.task,
          algorithm: config.algorithm,
          seed: config.seed,
          step: steps.at(-1)?.step ?? 0,
          steps: config.steps,
        };
        runs.push({
          run: path,
          training: isTraining,
          ...facts,
          reward: endsOf(history, key).final,
          accuracy: lastEvaluation(recorded)?.sampledAccuracy ?? null,
          verdict: judgeRun(history).verdict,
          curve: sparkline(Array.from(history.metric(key).values), 12),
        });
      } catch (error) {
        // One that cannot be read stands in no other's way.
        runs.push({ run: path, training: isTraining, problem: errorText(error) });
      }
    }
    const rows = runs.map(rowOf);
    return {
      facts: { folder, runs },
      text: rows.length > 0 ? columns(rows) : `no runs in ${folder}/: rollout-lab train configs/digit-sum.yaml makes one`,
    };
  },
});
