// What a policy can be asked to do. A task is one file: its options, its problems, its environment,
// its reward parts and worked conversations for supervised training. defineTask turns that file into an
// entry of the catalog, so that forms and the command line need no knowledge of it.

import type { CatalogEntry, TaskEntry } from "../../protocol/catalog.ts";
import { fieldsLater } from "../../protocol/config/fields.ts";
import type { RunConfigInput } from "../../protocol/config.ts";
import { parseOrThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import type { Random } from "../random.ts";
import type { RewardEntry } from "../rewards/rewardRule.ts";
import type { Speaker } from "../rollout/demonstration.ts";
import type { DataLoader, EnvBuilder, Example, Message, RewardPart, Trajectory } from "../types.ts";
import type { TaskWorld } from "./custom/world.ts";

/** Which renderer turns the task's messages into tokens. */
export type RendererKind = "digits" | "chat";

/** A turn of the policy, as it is decided whether its tokens are trained. */
export interface TrainedTurn {
  /** From 0, and how many turns the conversation has. */
  readonly index: number;
  readonly count: number;
  /** What the policy said, its calls read. */
  readonly message: Message;
  readonly agent: string | undefined;
}

/** A task with its options filled in and its randomness seeded. */
export interface TaskInstance {
  /** Fetches what lies elsewhere, before anything else is asked of the task. Throws a sentence where it is not there. */
  prepare?(world: TaskWorld): Promise<void>;
  /** A fresh stream of training problems from its beginning. */
  trainLoader(): DataLoader;
  /** All training problems in the order of their list, where they are one; a task that draws them without end leaves this out. */
  trainProblems?(): readonly Example[];
  /**
   * The first `count` held-out problems, the same for a seed; fewer where there are not as many. Never a training
   * problem, unless the task has only one.
   */
  evaluation(count: number): readonly Example[];
  readonly envs: EnvBuilder;
  /**
   * The problem that a custom text poses. Without one null where no other text opens a conversation of the task, and
   * undefined where it does (see isOwnPrompt), as in a task that leaves this out.
   */
  asks?(prompt: string): Example | null | undefined;
  /** Most turns of the policy in one conversation; 1 where left out. */
  readonly maxTurns?: number;
  /** Whether a turn of the policy is trained; all are where left out. Those of frozen agents never are. */
  trainsTurn?(turn: TrainedTurn): boolean;
  /** Agents whose turns are sampled but not trained, where several share a conversation. */
  readonly frozenAgents?: readonly string[];
  /** Those among them that the weights the run started from speak for. */
  readonly startAgents?: readonly string[];
  readonly rewards: readonly RewardPart[];
  /** Whether the trajectory solves the problem; not affected by reward weights. */
  isSuccess(example: Example, trajectory: Trajectory): boolean;
  /** In its place where the task has no notion of right: the total reward from which on a conversation is. */
  readonly solvedFrom?: number;
  /** Whether the answer has the required form, right or wrong. */
  hasForm(example: Example, trajectory: Trajectory): boolean;
  /** Speaks for the policy in the required form, right except for a `noise` share (0 to 1) of conversations with a plausible mistake. */
  demonstration(example: Example, random: Random, noise: number): Speaker;
  /** Every completion has exactly this many tokens and no stop token ends it. */
  readonly fixedLength?: number;
  /**
   * Ids 0 to this - 1 are the tokens a logits table needs columns for; only with fixedLength, and left out where
   * answers depend on the prompt.
   */
  readonly tableTokens?: number;
}

/** A task as the registry has it: how it is shown, its options, and how an instance is made. */
export interface Task {
  readonly entry: TaskEntry;
  readonly optionsSchema: z.ZodObject;
  readonly rendererKind: RendererKind;
  /** Checks the options (missing ones get their defaults) and builds the task. Throws InputError naming the option. */
  create(options: Readonly<Record<string, unknown>>, seed: number): TaskInstance;
}

/** What a task is made from. */
export interface TaskDefinition<Options extends z.ZodObject> extends CatalogEntry {
  readonly optionsSchema: Options;
  readonly rendererKind: RendererKind;
  readonly rewards: readonly RewardEntry[];
  readonly config: RunConfigInput;
  /** Where conversations may have several turns of the policy, and where several agents speak in them. */
  readonly severalTurns?: true;
  readonly severalAgents?: true;
  /** Where the policy is offered tools. */
  readonly callsTools?: true;
  /** How many tokens every completion has, for a task that says so itself. */
  readonly fixedLength?: (options: z.output<Options>) => number;
  create(options: z.output<Options>, seed: number): Omit<TaskInstance, "fixedLength">;
}

/** A task from its definition; options are parsed before they reach `create`. */
export function defineTask<Options extends z.ZodObject>(definition: TaskDefinition<Options>): Task {
  const { id, title, summary, optionsSchema, rendererKind, fixedLength, severalTurns, severalAgents, callsTools, config } = definition;
  const rewards = definition.rewards.map(({ name, title, weight, help, paysAnswers }) => ({
    name,
    title,
    weight,
    help,
    ...(paysAnswers ? { paysAnswers } : {}),
  }));
  const edge = z.object({ taskOptions: optionsSchema });
  const fields = fieldsLater(optionsSchema);
  const known = Object.keys(optionsSchema.shape).map((key) => `taskOptions.${key}`);
  return {
    entry: {
      id,
      title,
      summary,
      rewards,
      get fields() {
        return fields();
      },
      facts: {
        fixedLength: fixedLength !== undefined,
        severalTurns: severalTurns === true,
        severalAgents: severalAgents === true,
        ...(callsTools ? { callsTools } : {}),
      },
      config: { task: id, ...config },
    },
    optionsSchema,
    rendererKind,
    create(options, seed) {
      // Parsed inside a record so that an error names "taskOptions.length", then for its type.
      parseOrThrow(edge, { taskOptions: options }, known);
      const parsed = optionsSchema.parse(options);
      return { ...definition.create(parsed, seed), ...(fixedLength ? { fixedLength: fixedLength(parsed) } : {}) };
    },
  };
}
