// The first step of a run before it is started: what its answers earn, how many are cut off, and how long the run would take. It is
// sampled and judged on a copy, with the run's own seed, without an update, and the copy is thrown away: the run that follows is the
// one that nobody tried.
import { parameterCount } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { TriedAnswer, TriedStep } from "../../protocol/custom/tried.ts";
import type { EventBody, Phase } from "../../protocol/messages.ts";
import { InputError } from "../../protocol/problems.ts";
import { usesCritic } from "../../rl/baselines/index.ts";
import { judgedOf } from "../../rl/rewards/rewardRule.ts";
import { heldOut } from "../evaluation.ts";
import type { Clock, Host } from "../host.ts";
import { checkFits } from "../memory/memoryCheck.ts";
import { type OpenedPlan, openPlan, shapeOf } from "../start/openedPlan.ts";
import { checkStart, type RunPlan } from "../start/plan.ts";
import { checkCode } from "../start/rewardParts.ts";
import { type ActiveRun, buildRun, disposeModels } from "../start/start.ts";
import { sampledAdvantages } from "../step/sampledAdvantages.ts";
import { newSampledStep, type SampledStep } from "../step/sampledStep.ts";
import { answerMetrics } from "../step/stepMetrics.ts";
import { partGradient } from "../step/update/gradientSplit.ts";

/** A model of so many weights takes seconds for a step: it is asked for fewer answers, of so many tokens in all at most. */
const LARGE = 30e6;
const FEW = { tokens: 2048, most: 32, least: 8, group: 8 } as const;
/** Groups of which answers are shown, and answers of each. */
const SHOWN = { groups: 4, answers: 2 } as const;

const isLarge = (plan: OpenedPlan): boolean => plan.config.model === "transformer" && parameterCount(shapeOf(plan.config, plan)) >= LARGE;

/** The plan with so few answers as a large model is asked for. */
function withFewer(plan: OpenedPlan): OpenedPlan {
  const { config } = plan;
  if (!isLarge(plan)) return plan;
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

/** Samples and judges the first step, which is then left where its update would begin. */
async function sampleStep({ trainer }: ActiveRun, tell: (event: EventBody) => void): Promise<SampledStep> {
  const step = trainer.takeStep((phase, done, total) => tell({ type: "asking", phase, done, total }));
  for await (const { phase, sampled } of step) if (phase === "advantage" && sampled) return sampled;
  throw new Error("internal: a step that came to no advantages");
}

/** About what the update of a step takes (s): its gradient, by a large model that of the first group, as often as there are groups. */
async function updateSeconds({ model, task }: ActiveRun, step: SampledStep, isLarge: boolean, clock: Clock): Promise<number> {
  const { config, groups, rewards_P_G } = step;
  const begun = clock.now();
  const isCut = isLarge && !usesCritic(config) && groups.length > 1;
  // The reference was asked about the whole step alone; what is left out is one pass of scoring.
  const plain = { ...config, klCoef: 0, klTarget: 0 };
  const timed = isCut ? { ...newSampledStep(step.step, groups.slice(0, 1), plain, task), rewards_P_G: rewards_P_G.slice(0, 1) } : step;
  await partGradient(model, timed, sampledAdvantages(timed, timed.config), timed.config, "all");
  return ((clock.now() - begun) / 1000) * (isCut ? groups.length : 1) * config.innerEpochs;
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
    // What computes next computes long, and what is told now is to be heard before.
    const say = async (phase: Phase) => {
      tell({ type: "asking", phase, done: 0, total: 0 });
      await host.yield();
    };
    const built = host.now();
    await say("sample");
    const sampled = await sampleStep(run, tell);
    const judged = host.now();
    await say("update");
    const update = await updateSeconds(run, sampled, isLarge(plan), host);
    if (lost !== null) throw new Error(`the GPU device was lost (${lost})`);
    return told(whole.config, plan, sampled, { preparation: (built - begun) / 1000, sampling: (judged - built) / 1000, update });
  } finally {
    disposeModels(run);
  }
}

interface Seconds {
  readonly preparation: number;
  /** Sampling and judging, of the step that was tried. */
  readonly sampling: number;
  readonly update: number;
}

function told(
  asked: RunConfig,
  { config, instance }: OpenedPlan,
  sampled: SampledStep,
  { preparation, sampling, update }: Seconds,
): TriedStep {
  const rewards = sampled.rewards_P_G.flat().flatMap(({ total }) => (total === null ? [] : [total]));
  const metrics: Record<string, number> = {};
  answerMetrics(sampled, metrics);
  const more = (asked.promptsPerStep * asked.groupSize) / (config.promptsPerStep * config.groupSize);
  const { examples, copies } = heldOut(instance, asked);
  // An evaluation samples as a step does, and what it samples is not trained on.
  const evaluation = (sampling / sampled.trajectories_Q.length) * examples.length * (1 + copies);
  return {
    prompts: sampled.groups.length,
    groupSize: config.groupSize,
    isWhole: config === asked,
    scored: rewards.length,
    earning: rewards.filter((reward) => reward > 0).length,
    metrics,
    examples: examplesOf(sampled),
    seconds: { preparation, evaluation, step: more * (sampling + update) },
  };
}
