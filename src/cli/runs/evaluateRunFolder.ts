// The evaluation of a run that is kept: the trainer's own evaluation of its policy, and of chance.

import { percent, short } from "../../export/writtenRun.ts";
import { counted } from "../../protocol/quantities.ts";
import { evaluate, measureRandomBaseline } from "../../train/evaluation.ts";
import { contextOf } from "../../train/run/evaluateRun.ts";
import { columns } from "../lab/texts.ts";
import type { Report } from "../lab/verb.ts";
import { liftOverRandom, liftOverStart, liftText, pointsText } from "../training/summary.ts";
import { lookAtRun, type Opening } from "./openRun.ts";

/** Evaluates a run's policy. */
export function evaluateRunFolder(asked: Opening): Promise<Report> {
  return lookAtRun(asked, async ({ run, path }) => {
    const context = contextOf(run);
    const random = await measureRandomBaseline(context);
    const record = await evaluate(context, run.trainer.step, (done, total) => asked.progress.doing(`evaluating ${done} of ${total}`));
    const start = run.baselines.find(({ kind }) => kind === "start") ?? null;
    const rise = liftOverStart(run.evaluations[0], record, start ?? undefined);
    const { lift, liftInterval, liftPaired } = rise;
    const overRandom = liftOverRandom(record, random);
    const { task } = context.config;
    const between = ([low, high]: readonly [number, number]) => `${percent(low)} to ${percent(high)}`;
    const [low, high] = record.greedyInterval;
    const greedyRange = low === high ? "exact: one answer to the one problem there is" : between(record.greedyInterval);
    const passes = Object.entries(record.passAtK).map(([k, share]) => `pass@${k} ${percent(share)}`);
    const rows = [
      [
        "  sampled",
        `${percent(record.sampledAccuracy)} (95 % interval ${between(record.sampledInterval)}), reward ${short(record.meanReward)}${liftText(record.sampledAccuracy, lift, liftInterval, liftPaired)}`,
      ],
      ["  greedy", `${percent(record.greedyAccuracy)} (${greedyRange}), in form ${percent(record.formRate)}`],
      ["  pass@k", passes.join(", ")],
      ["  random", `${percent(random.accuracy)}, reward ${short(random.meanReward)}`],
      ...(start ? [["  start", `${percent(start.accuracy)}, reward ${short(start.meanReward)}`]] : []),
      ["  over random", pointsText(record.sampledAccuracy, overRandom.liftOverRandom, overRandom.liftOverRandomInterval, false)],
    ];
    const facts = {
      run: path,
      task,
      accuracy: record.sampledAccuracy,
      accuracyInterval: record.sampledInterval,
      ...rise,
      ...overRandom,
      evaluation: record,
      baselines: { random, start },
    };
    return {
      facts,
      text: `${path} at step ${record.step}: ${counted(record.problems, "held-out problem")} of ${task}, ${counted(record.samplesPerProblem, "sample")} each\n${columns(rows)}`,
    };
  });
}
