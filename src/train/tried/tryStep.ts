// The first step of a run before it is started: what its answers earn, how many are cut off, and how long the run would take. The
// step is taken on a copy, with the run's own seed, and the copy is thrown away: the run that follows is the one that nobody tried.
import { parameterCount } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { TriedAnswer, TriedStep } from "../../protocol/custom/tried.ts";
import type { EventBody } from "../../protocol/messages.ts";
import { InputError } from "../../protocol/problems.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { medianOf } from "../../rl/advantage/statistics.ts";
import { judgedOf } from "../../rl/rewards/rewardRule.ts";
import { heldOut } from "../evaluation.ts";
import type { Host } from "../host.ts";
import { checkFits } from "../memory/memoryCheck.ts";
import { type OpenedPlan, openPlan, shapeOf } from "../start/openedPlan.ts";
import { checkStart, type RunPlan } from "../start/plan.ts";
import { checkCode } from "../start/rewardParts.ts";
import { type ActiveRun, buildRun, disposeModels } from "../start/start.ts";
import type { SampledStep } from "../step/sampledStep.ts";

/** A model of so many weights takes seconds for a step: it is asked for fewer answers, of so many tokens in all at most. */
const LARGE = 30e6;
const FEW = { tokens: 2048, most: 32, least: 8, group: 8 } as const;
/** The first step is slow where code is compiled for it: quick ones are taken again, for their time alone. */
const QUICK_SECONDS = 0.5;
const MOST_STEPS = 3;
/** Groups of which answers are shown, and answers of each. */
const SHOWN = { groups: 4, answers: 2 } as const;

/** The plan with so few answers as a large model is asked for. */
function withFewer(plan: OpenedPlan): OpenedPlan {
  const { config } = plan;
  if (config.model !== "transformer" || parameterCount(shapeOf(config, plan)) < LARGE) return plan;
  const answers = Math.max(FEW.least, Math.min(FEW.most, Math.floor(FEW.tokens / config.maxCompletionTokens)));
  const groupSize = Math.min(config.groupSize, FEW.group, answers / 2);
  const promptsPerStep = Math.min(config.promptsPerStep, Math.floor(answers / groupSize));
  if (groupSize === config.groupSize && promptsPerStep === config.promptsPerStep) return plan;
  return { ...plan, config: { ...config, groupSize, promptsPerStep, minibatches: 1 } };
}

function checkTried({ config }: RunPlan): void {
  const wrong = (field: keyof RunConfig, message: string) => new InputError([{ field, message }]);
  if (config.kind === "supervised")
    throw wrong("kind", 'kind must be "reinforcement" to try its first step, got "supervised": worked answers earn nothing');
  if (config.backend === "tinker") throw wrong("backend", 'backend must not be "tinker" to try the first step: it would be paid for');
}

interface Taken {
  readonly sampled: SampledStep;
  readonly record: StepRecord;
}

async function takeStep({ trainer }: ActiveRun, tell: (event: EventBody) => void): Promise<Taken> {
  const step = trainer.takeStep((phase, done, total) => tell({ type: "asking", phase, done, total }));
  let sampled: SampledStep | null = null;
  for (;;) {
    const { done, value } = await step.next();
    if (done) {
      if (!sampled) throw new Error("internal: a step that sampled nothing");
      return { sampled, record: value };
    }
    sampled = value.sampled ?? sampled;
  }
}

/** The best and the worst answer of each of the first groups. */
function examplesOf({ groups, rewards_P_G }: SampledStep): readonly TriedAnswer[] {
  return groups.slice(0, SHOWN.groups).flatMap(({ example, trajectories }, p) => {
    const answers = trajectories.map((trajectory, g): TriedAnswer => {
      const { total = null, parts = [] } = rewards_P_G[p]?.[g] ?? {};
      const { question, text } = judgedOf(example, trajectory);
      return { question, text, reward: total, rewardParts: parts, isCut: trajectory.stopReason === "max-tokens" };
    });
    const ranked = answers.toSorted((a, b) => (b.reward ?? 0) - (a.reward ?? 0));
    return [...ranked.slice(0, SHOWN.answers - 1), ...ranked.slice(-1)];
  });
}

/** Takes the first step of a planned run on a copy, and tells how far that is. Throws what a start would throw. */
export async function tryStep(whole: RunPlan, host: Host, tell: (event: EventBody) => void): Promise<TriedStep> {
  checkTried(whole);
  checkStart(whole);
  const begun = host.now();
  const planned = await openPlan(whole, host);
  await checkFits(planned, host);
  await checkCode(whole, host);
  const plan = withFewer(planned);
  let lost: string | null = null;
  const run = await buildRun(
    "tried",
    plan,
    { ...host, store: null },
    {
      onPreparing: (_, done, total) => tell({ type: "asking", phase: "prepare", done, total }),
      pause: () => host.yield(),
      onLost: (reason) => {
        lost = reason;
      },
    },
  );
  try {
    const preparation = (host.now() - begun) / 1000;
    const { sampled, record } = await takeStep(run, tell);
    const times = [record.metrics.step_time ?? 0];
    while (times.length < MOST_STEPS && times.at(-1)! < QUICK_SECONDS)
      times.push((await takeStep(run, () => {})).record.metrics.step_time ?? 0);
    if (lost !== null) throw new Error(`the GPU device was lost (${lost})`);
    return told(whole.config, plan, { sampled, record, times, preparation });
  } finally {
    disposeModels(run);
  }
}

interface Tried extends Taken {
  /** Of the steps that were taken (s). */
  readonly times: readonly number[];
  readonly preparation: number;
}

function told(asked: RunConfig, { config, instance }: OpenedPlan, { sampled, record, times, preparation }: Tried): TriedStep {
  const answers = sampled.trajectories_Q.length;
  const rewards = sampled.rewards_P_G.flat().flatMap(({ total }) => (total === null ? [] : [total]));
  const more = (asked.promptsPerStep * asked.groupSize) / (config.promptsPerStep * config.groupSize);
  const { examples, copies } = heldOut(instance, asked);
  // An evaluation samples as a step does, and what it samples is not trained on.
  const perAnswer = ((record.metrics["time/sample"] ?? 0) + (record.metrics["time/score"] ?? 0)) / answers;
  const evaluation = perAnswer * examples.length * (1 + copies);
  return {
    prompts: sampled.groups.length,
    groupSize: config.groupSize,
    isWhole: config === asked,
    scored: rewards.length,
    earning: rewards.filter((reward) => reward > 0).length,
    metrics: record.metrics,
    examples: examplesOf(sampled),
    seconds: { preparation, evaluation, step: more * medianOf(times.length > 1 ? times.slice(1) : times) },
  };
}
