// The runs in a folder.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../lab/exit.ts";
import { columns, percent, short, sparkline } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";

export const list = defineVerb({
  name: "list",
  help: "List the runs in a folder, newest first.",
  operands: ["[DIR]"],
  options: {},
  async run({ operands }) {
    const { findRun, isStarted, listRuns, RUNS, trainerOf } = await import("../folder/runFolder.ts");
    const { historyOf, lastEvaluation, readRecords } = await import("../folder/recordedRun.ts");
    const { judgeRun } = await import("../../rl/verdict.ts");
    const folder = operands[0] ?? RUNS;
    // Before the first run there is no folder of runs, which is nothing wrong.
    if (operands[0] !== undefined && !(await stat(folder).catch(() => null))?.isDirectory())
      throw new CommandError(`there is no folder ${folder}: rollout-lab list shows those in ${RUNS}/`);
    const runs = [];
    for (const name of await listRuns(folder)) {
      const path = join(folder, name);
      const isTraining = (await trainerOf({ path })) !== null;
      try {
        if (!(await isStarted({ path }))) {
          const problem = isTraining ? "is being prepared" : "ended before its first step: train it again into another folder";
          runs.push({ run: path, training: isTraining, problem });
          continue;
        }
        const recorded = await readRecords(await findRun(path));
        const history = historyOf(recorded);
        const { config, steps } = recorded;
        const rewards = Array.from(history.metric(config.kind === "supervised" ? "loss" : "reward").values);
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
          reward: rewards.at(-1) ?? null,
          accuracy: lastEvaluation(recorded)?.sampledAccuracy ?? null,
          verdict: judgeRun(history).verdict,
          curve: sparkline(rewards, 12),
        });
      } catch (error) {
        // One that cannot be read stands in no other's way.
        runs.push({ run: path, training: isTraining, problem: error instanceof Error ? error.message : String(error) });
      }
    }
    const rows = runs.map((each) =>
      "problem" in each
        ? [each.run, each.problem]
        : [
            each.run,
            each.task,
            each.algorithm,
            `seed ${each.seed}`,
            `${each.step}/${each.steps}`,
            `${each.curve} ${short(each.reward)}`,
            percent(each.accuracy),
            each.training ? "training" : each.verdict,
          ],
    );
    return {
      facts: { folder, runs },
      text: rows.length > 0 ? columns(rows) : `no runs in ${folder}/: rollout-lab train configs/digit-sum.yaml makes one`,
    };
  },
});
