// The figures of one token through an update. None is a formula of this file: they come out of the
// advantages and the objective that the trainer runs, fed with what the step recorded.
import type { RunConfig } from "../../../../protocol/config.ts";
import { PHASES, type Phase, type StepGroups, UPDATE_PARTS, type UpdatePlace } from "../../../../protocol/messages.ts";
import type { AdvantageArithmetic, GroupRecord, TrajectoryRecord } from "../../../../protocol/records.ts";
import { termsAt } from "../../../../rl/advantages.ts";
import { klGradient } from "../../../../rl/kl/index.ts";
import { tokenObjective } from "../../../../rl/objective.ts";
import { atTokens, type Otherwise, otherwise } from "../../../../rl/otherwise/otherwise.ts";
import { type TokenFacts, tokenFacts } from "../../tokens/tokenFacts.ts";
import type { ExplainedEntry } from "./phases.ts";

/** A step with the objective of all its tokens. */
export interface StepStory {
  readonly step: StepGroups;
  /** Settings the step was taken under. */
  readonly config: RunConfig;
  readonly objective: Otherwise;
  /** dLoss / dLog-prob of the policy's part alone, of all K sampled tokens. */
  readonly policyGradient_K: Float64Array;
  /** Place of each completion token among the K. */
  readonly place_P_G_T: readonly (readonly Float64Array[])[];
  readonly tokens: number;
  readonly sequences: number;
}

/** @param step all groups of one step, as its phases left them. */
export function stepStory(step: StepGroups): StepStory {
  const { config, groups } = step;
  const objective = otherwise(groups, config);
  const { input, objective: whole } = objective;
  const withoutKl = tokenObjective(input, { ...objective.config, klCoef: 0 });
  return {
    step,
    config,
    objective,
    policyGradient_K: withoutKl.gradLogprobs_K,
    place_P_G_T: atTokens(
      groups,
      Float64Array.from(whole.ratio_K, (_, k) => k),
    ),
    tokens: input.totals.tokens,
    sequences: input.totals.sequences,
  };
}

/** How far a step is: its phase, and where its update stands. */
type Reached = Pick<StepGroups, "phase" | "opened">;

/** The last phase of whose figures a step has some: an update that stands on its way counts. */
export function reachedPhase(step: Reached): Phase {
  return step.opened ? "update" : step.phase;
}

/** Whether the advantages of a step are computed; before, records hold zeros in their place. */
export function isCompared(step: Reached): boolean {
  return PHASES.indexOf(reachedPhase(step)) >= PHASES.indexOf("advantage");
}

/** Whether a step has been through its update, or stands within it. */
function isUpdating(step: Reached): boolean {
  return PHASES.indexOf(reachedPhase(step)) >= PHASES.indexOf("update");
}

/** Whether a step has been through what a phase shows. An update that stands on its way has come to some of them. */
export function isReached({ phase, opened }: Reached, { needs, part }: ExplainedEntry): boolean {
  if (opened && part !== undefined) return wasTrained(opened) || UPDATE_PARTS.indexOf(opened.part) >= UPDATE_PARTS.indexOf(part);
  return PHASES.indexOf(phase) >= PHASES.indexOf(needs);
}

/** Whether an optimizer step has been taken. */
function wasTrained({ epoch, minibatch }: UpdatePlace): boolean {
  return epoch > 1 || minibatch > 1;
}

/** What the update made of one token. */
export interface TokenUpdate {
  /** Mean over the sequence's trained tokens of the log-ratio: what a ratio of the whole sequence comes from. */
  readonly meanLogRatio: number;
  readonly ratio: number;
  /** The policy's loss of this token, before it is weighted. */
  readonly policyLoss: number;
  /** KL to the reference by the run's estimator (nats) and its derivative; null where there is no reference. */
  readonly kl: { readonly nats: number; readonly slope: number } | null;
  /** Share of the loss: what a token's loss is multiplied with. */
  readonly weight: number;
  /** False where a mask takes the policy's part away. */
  readonly isUnmasked: boolean;
  /** dLoss / dLog-prob, the policy's part and the KL's, which add up to the whole. */
  readonly policyPart: number;
  readonly klPart: number;
  readonly gradient: number;
  /** What the trainer wrote down in its last inner epoch; null where it did not train the token. */
  readonly recorded: number | null;
}

export interface TokenStory {
  readonly story: StepStory;
  readonly group: GroupRecord;
  readonly member: number;
  readonly trajectory: TrajectoryRecord;
  readonly facts: TokenFacts;
  /** Tokens of the completion that are trained. */
  readonly trained: number;
  /** How its advantage came about: that of the completion, or of its turn or agent where these are compared; null before it is known. */
  readonly terms: AdvantageArithmetic | null;
  /** Return that the critic should have foreseen here; null without one. */
  readonly criticReturn: number | null;
  /** Null before the update, and where the token is not trained. */
  readonly update: TokenUpdate | null;
}

function updateOf(story: StepStory, k: number, first: number, trajectory: TrajectoryRecord, facts: TokenFacts): TokenUpdate {
  const { objective: whole, input, config } = story.objective;
  let sum = 0;
  let count = 0;
  for (let i = first; i < first + trajectory.sampled.filter((each) => each === 1).length; i++)
    if (input.mask_K[i]) {
      sum += input.logprobs_K[i]! - input.oldLogprobs_K[i]!;
      count += 1;
    }
  const { logprobs_K, refLogprobs_K } = input;
  const gradient = whole.gradLogprobs_K[k]!;
  const policyPart = story.policyGradient_K[k]!;
  return {
    meanLogRatio: count > 0 ? sum / count : 0,
    ratio: whole.ratio_K[k]!,
    policyLoss: whole.policyLoss_K[k]!,
    kl: refLogprobs_K && {
      nats: whole.klNats_K[k]!,
      slope: klGradient(config.klEstimator, logprobs_K[k]!, refLogprobs_K[k]!),
    },
    weight: whole.weight_K[k]!,
    isUnmasked: whole.keep_K[k] === 1,
    policyPart,
    klPart: gradient - policyPart,
    gradient,
    recorded: facts.lossWeight,
  };
}

/** One token of a step, or null where there is none. */
export function tokenStory(story: StepStory, promptIndex: number, member: number, token: number): TokenStory | null {
  const p = story.step.groups.findIndex((each) => each.promptIndex === promptIndex);
  const group = story.step.groups[p];
  const trajectory = group?.trajectories[member];
  if (!group || !trajectory) return null;
  const isUpdated = isUpdating(story.step);
  const facts = tokenFacts(trajectory, story.config, reachedPhase(story.step))[token];
  if (!facts) return null;
  const places = story.place_P_G_T[p]![member]!;
  const k = places[token]!;
  const first = places[trajectory.sampled.indexOf(1)] ?? 0;
  const { advantages } = story.objective;
  const { returns_K } = advantages;
  return {
    story,
    group,
    member,
    trajectory,
    facts,
    trained: trajectory.channels.mask.filter((each) => each === 1).length,
    terms: isCompared(story.step) && facts.trained ? (trajectory.arithmetic ?? termsAt(advantages, k)) : null,
    criticReturn: returns_K && facts.sampled ? returns_K[k]! : null,
    update: isUpdated && facts.trained ? updateOf(story, k, first, trajectory, facts) : null,
  };
}
