// One step of policy-gradient training from group-relative rewards, as in GRPO (Shao et al. 2024,
// algorithm 1): sample, score, advantage, update. Every variant is a set of switches in the
// configuration; the loss itself is rl/objective.

import { type AnyModel, isHere } from "../../model/model.ts";
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { costWith, type JudgeCost } from "../../protocol/custom/judges.ts";
import { usesCritic } from "../../rl/baselines/index.ts";
import { isKlOverRows } from "../../rl/kl/index.ts";
import { Controllers } from "./controllers.ts";
import { takeValues, trainCritic } from "./critic.ts";
import { sampledAdvantages } from "./sampledAdvantages.ts";
import { newSampledStep, type SampledStep } from "./sampledStep.ts";
import { judgeGroups, refillFlatGroups, sampleProblems } from "./sampleGroups.ts";
import { type StepTimes, stepMetrics } from "./stepMetrics.ts";
import { type Metrics, SteppedTrainer } from "./steppedTrainer.ts";
import type { IsOpened, OnProgress, PhaseEnd, TrainerParts, TrainerState } from "./trainer.ts";
import { gradientSplit } from "./update/gradientSplit.ts";
import { updatePolicy } from "./update/updatePolicy.ts";

/** Trains a policy from its own rewarded samples; owned state. */
export class ReinforcementTrainer extends SteppedTrainer {
  readonly #controllers: Controllers;

  constructor(parts: TrainerParts) {
    super(parts);
    this.#controllers = new Controllers(parts.config);
  }

  override set(settings: LiveSettings): void {
    super.set(settings);
    this.#controllers.set(settings);
  }

  override applyChanges(): void {
    this.#controllers.set(this.settings.applyChanges(this.step));
  }

  protected async *phases(onProgress: OnProgress, isOpened: IsOpened): AsyncGenerator<PhaseEnd, Metrics> {
    const [{ model, task }, config] = [this.parts, this.#takeUp()];
    await this.#keepReference(config);
    const { asking, leftOut } = counting(this.parts);
    const times: StepTimes = { begun: this.workedMs(), sampled: 0, scored: 0, advantaged: 0, updated: 0 };

    const drawn = await sampleProblems(asking, config, config.promptsPerStep, (done, total) => onProgress("sample", done, total));
    let sampled = newSampledStep(this.step + 1, drawn, config, task);
    times.sampled = this.workedMs();
    yield { phase: "sample", sampled };

    onProgress("score", 0, drawn.length);
    const judgedBefore = this.parts.rewards.judged?.();
    let scored_P = await judgedBesideReference(this.parts, sampled, config);
    let sampledGroups = drawn.length;
    if (config.dynamicSampling) {
      ({ scored_P, sampledGroups } = await refillFlatGroups(asking, config, scored_P));
      const groups = scored_P.map(({ group }) => group);
      sampled = newSampledStep(this.step + 1, groups, config, task);
    }
    const judged = judgedSince(judgedBefore, this.parts.rewards.judged?.());
    sampled.rewards_P_G = scored_P.map(({ rewards_G }) => rewards_G);
    sampled.phase = "score";
    if (usesTokenReference(config)) sampled.refLogprobs_K ??= (await model.score(sampled.batch, "reference")).logprobs_K;
    if (usesCritic(config)) await takeValues(this.parts.critic ?? model, sampled, config);
    times.scored = this.workedMs();
    yield { phase: "score", sampled };

    const advantages = sampledAdvantages(sampled, config);
    times.advantaged = this.workedMs();
    yield { phase: "advantage", sampled };

    if (config.topEntropyQuantile < 1) await takeTrainingEntropies(model, sampled);
    const isSplitDue = config.splitGradNormEvery > 0 && this.step % config.splitGradNormEvery === 0;
    const split = isSplitDue ? await gradientSplit(model, sampled, advantages, config) : {};
    const { critic: ownCritic } = this.parts;
    // What is asked of a server after its optimizer step may fail, and the step with it.
    if (config.innerEpochs * config.minibatches > 1 || ownCritic || !isHere(model)) await this.keep(model);
    const update = yield* updatePolicy(this.parts, config, sampled, advantages, this.step, { onProgress, isOpened });
    if (ownCritic && config.valueEpochs > 1) await this.keep(ownCritic);
    const critic = ownCritic && advantages.returns_K && (await trainCritic(ownCritic, sampled, advantages.returns_K, config));
    if (config.measureUpdate) sampled.newLogprobs_K = (await model.score(sampled.batch, "policy")).logprobs_K;
    sampled.phase = "update";
    times.updated = this.workedMs();
    yield { phase: "update", sampled };

    // As TRL counts: each completion with its prompt, though a prompt is computed once for its group.
    for (const { promptTokens, tokens } of sampled.trajectories_Q) this.tokensSeen += promptTokens.length + tokens.length;
    const counts = { sampledGroups, leftOut: leftOut(), tokensSeen: this.tokensSeen, judged };
    const metrics = Object.assign(stepMetrics(sampled, advantages, { update, critic }, config, times, counts), split);
    this.#controllers.observe(metrics.kl, metrics.entropy, sampled.groupOf_Q.length, config);
    return metrics;
  }

  /** The settings of the step that begins, with what comes into force before it. */
  #takeUp(): RunConfig {
    this.applyChanges();
    const config = this.#controllers.applyTo(this.config);
    this.parts.rewards.follow?.(config);
    return config;
  }

  /** Freezes the policy as the reference when a KL needs one, refreshes it as configured, and frees it when no KL does. */
  async #keepReference(config: RunConfig): Promise<void> {
    const { model } = this.parts;
    // An agent that plays the frozen start speaks with the reference's weights from the beginning.
    const isSpeaking = (this.parts.task.startAgents ?? []).length > 0;
    if (config.klCoef === 0 && config.klTarget === 0) {
      if (!model.hasReference() || isSpeaking) return;
      await this.keep(model);
      return model.dropReference();
    }
    const isDue = config.referenceSyncEvery > 0 && this.step > 0 && this.step % config.referenceSyncEvery === 0;
    if (model.hasReference() && !isDue) return;
    await this.keep(model);
    await model.refreshReference(model.hasReference() ? config.referenceMix : 1);
  }

  protected override saveControllers(): Readonly<Record<string, number>> {
    return this.#controllers.save();
  }

  override restore(state: TrainerState): void {
    super.restore(state);
    this.#controllers.restore(state.controllers);
  }
}

/** The parts of a trainer, and how many problems they have left out. */
function counting(parts: TrainerParts): { readonly asking: TrainerParts; readonly leftOut: () => number } {
  let count = 0;
  const onTooLong = (why: string) => {
    count += 1;
    parts.onTooLong?.(why);
  };
  return { asking: { ...parts, onTooLong }, leftOut: () => count };
}

/**
 * Takes the entropies that decide the top-entropy mask from a scoring pass: the distribution is the one sampled
 * from, but in the bits of the training forward, so that no token at the threshold is lost to rounding.
 */
async function takeTrainingEntropies(model: AnyModel, sampled: SampledStep): Promise<void> {
  sampled.sampledEntropies_K = (await model.score(sampled.batch, "policy")).entropies_K;
}

/**
 * Judges what was drawn. Custom rewards are computed in a thread of theirs, so the reference scores meanwhile; a judge's
 * model would stand in its way, and what is drawn again is scored later.
 */
async function judgedBesideReference(
  { model, rewards }: TrainerParts,
  sampled: SampledStep,
  config: RunConfig,
): ReturnType<typeof judgeGroups> {
  const judging = judgeGroups(sampled.groups, rewards, config);
  if (!config.dynamicSampling && Object.keys(config.judges).length === 0 && usesTokenReference(config)) {
    // Why it failed is said by whoever waits for it.
    judging.catch(() => {});
    sampled.refLogprobs_K = (await model.score(sampled.batch, "reference")).logprobs_K;
  }
  return judging;
}

/** What judges were asked for one step; null where nobody was. */
function judgedSince(before: JudgeCost | undefined, after: JudgeCost | undefined): JudgeCost | null {
  if (!before || !after || after.asked === before.asked) return null;
  return costWith(after, before, -1);
}

/** Whether the reference is needed at the sampled tokens (an exact KL sums over the vocabulary instead). */
function usesTokenReference(config: RunConfig): boolean {
  return (config.klCoef > 0 || config.klTarget > 0) && !isKlOverRows(config);
}
