// What another program that trains may ask of the lab: conversations about problems, held by the task's own environments
// and scored by the run's own rewards, and evaluations on the held-out problems. It samples the turns; everything else is
// what happens in a run of this engine, so that no task and no reward is written a second time.
import type { RunConfig } from "../../protocol/config.ts";
import { showValue } from "../../protocol/problems.ts";
import type { EvaluationRecord } from "../../protocol/records.ts";
import { Random } from "../../rl/random.ts";
import { rewardGroups } from "../../rl/rewards/weightedReward.ts";
import { generate } from "../../rl/rollout/generator.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import { type ChatMessage, messagesWritten } from "../../rl/tools/chatMessages.ts";
import type { Example, Renderer, Reward, RewardModel, Trajectory, TrajectoryGroup } from "../../rl/types.ts";
import { evaluate } from "../../train/evaluation.ts";
import { drawnAs, trainedMask } from "../../train/step/sampledStep.ts";
import { elsewherePolicy, type SampleElsewhere } from "./elsewherePolicy.ts";

/** What conversations are held with. */
export interface RolloutParts {
  readonly config: RunConfig;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  /** Longest sequence that the model takes. */
  readonly maxPositions: number;
  /** Problems to train on, by their place. */
  readonly problems: readonly Example[];
  /** Hears of verdicts that could not be given. */
  onProblem(reason: string): void;
}

/** A conversation as the program trains on it. */
export interface HeldConversation {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  /** 1 for tokens that the policy sampled. */
  readonly sampled: readonly number[];
  /** 1 for those of them that are trained. */
  readonly trained: readonly number[];
  readonly text: string;
  readonly stopReason: string;
  /** What was said after the opening. */
  readonly messages: readonly ChatMessage[];
  readonly success: boolean;
  /** The reward; null where nothing could judge. */
  readonly total: number | null;
  /** Its parts by name, unweighted. */
  readonly parts: Readonly<Record<string, number | null>>;
}

/** Neighbours with one problem as a group: rewards may compare its members. */
function groupsOf(places: readonly number[], flat: readonly TrajectoryGroup[]): readonly TrajectoryGroup[] {
  const groups: { example: Example; trajectories: Trajectory[] }[] = [];
  for (const [i, { example, trajectories }] of flat.entries()) {
    if (i > 0 && places[i] === places[i - 1]) groups.at(-1)!.trajectories.push(...trajectories);
    else groups.push({ example, trajectories: [...trajectories] });
  }
  return groups;
}

function told(example: Example, trajectory: Trajectory, reward: Reward, { task, renderer }: RolloutParts): HeldConversation {
  const { promptTokens, tokens, mask, stopReason, messages } = trajectory;
  return {
    prompt: promptTokens,
    tokens,
    sampled: mask,
    trained: trainedMask(trajectory, task),
    text: renderer.decode(tokens),
    stopReason,
    total: reward.total,
    messages: messagesWritten(messages.slice(example.messages.length)),
    success: reward.success ?? task.isSuccess(example, trajectory),
    parts: Object.fromEntries(reward.parts.map(({ name, value }) => [name, value])),
  };
}

/** Holds conversations with what `sample` samples. */
export class HeldRollouts {
  readonly #parts: RolloutParts;
  readonly #random: Random;

  constructor(parts: RolloutParts) {
    this.#parts = parts;
    this.#random = new Random(parts.config.seed).fork("held rollouts");
  }

  /** One conversation for each place of a problem; those of one problem are neighbours. */
  async rollouts(places: readonly number[], sample: SampleElsewhere): Promise<readonly HeldConversation[]> {
    const { config, task, renderer, rewards, problems, maxPositions, onProblem } = this.#parts;
    const examples = places.map((place) => {
      const example = problems[place];
      if (!example) throw new Error(`problem must be a whole number from 0 to ${problems.length - 1}, got ${showValue(place)}`);
      return example;
    });
    const flat = await generate({ policy: elsewherePolicy(maxPositions, sample), envs: task.envs, renderer }, examples, {
      ...drawnAs(config, task),
      copies: 1,
      random: this.#random,
    });
    const groups = groupsOf(places, flat);
    const rewards_P_G = await rewardGroups(groups, rewards, config);
    const failed = rewards_P_G.flat(2).flatMap(({ parts }) => parts.flatMap(({ name, reason }) => (reason ? [`${name}: ${reason}`] : [])));
    if (failed[0] !== undefined) onProblem(failed[0]);
    return groups.flatMap(({ example, trajectories }, p) =>
      trajectories.map((trajectory, g) => told(example, trajectory, rewards_P_G[p]![g]!, this.#parts)),
    );
  }

  /** Evaluates the policy there on the held-out problems. */
  evaluate(step: number, sample: SampleElsewhere): Promise<EvaluationRecord> {
    const { maxPositions, ...context } = this.#parts;
    return evaluate({ ...context, policy: elsewherePolicy(maxPositions, sample) }, step, () => {});
  }
}
