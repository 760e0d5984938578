// A task from questions and answers: a list, or a function that draws them. What a task needs beyond that has a
// plain default here, so that a custom task is a few lines: one turn, and 1 for the right answer.

import type { RunConfigInput } from "../protocol/config.ts";
import { InputError, showValue, unknownField } from "../protocol/problems.ts";
import { z } from "../protocol/zod.ts";
import { isOwnPrompt, lastUserIn } from "../rl/data/ownPrompt.ts";
import { type ProblemSplit, type QuestionAnswer, splitList } from "../rl/data/problemList.ts";
import { splitProblems } from "../rl/data/splitProblems.ts";
import { singleTurn } from "../rl/envs/dialogue.ts";
import { toolEnv } from "../rl/envs/toolEnv.ts";
import type { Random } from "../rl/random.ts";
import { trueAnswer } from "../rl/rewards/library/trueAnswer.ts";
import { defineReward, type Judged, judgedOf } from "../rl/rewards/rewardRule.ts";
import { type Speaker, saying } from "../rl/rollout/demonstration.ts";
import { defineTask, type Task, type TrainedTurn } from "../rl/tasks/task.ts";
import type { Tool } from "../rl/tools/tool.ts";
import type { Env, Example, Message, Trajectory } from "../rl/types.ts";
import { type OwnTool, readTools, toolOptions } from "./ownTools.ts";

/** What a task of questions and answers is made from. */
export interface ProblemTaskDefinition {
  /** What configurations name it by. */
  readonly id: string;
  readonly title?: string;
  readonly summary?: string;
  /** What each conversation opens with. */
  readonly system?: string;
  /**
   * All the problems there are, of which one in eight is held out (at least eight of 32 or more), or a function that draws one; then one in
   * eight of those that can be drawn is held out.
   */
  readonly problems: readonly QuestionAnswer[] | ((random: Random) => QuestionAnswer);
  /** Problems for evaluation; `problems`, a list, is then for training alone. */
  readonly heldOut?: readonly QuestionAnswer[];
  /** A fresh conversation about a problem, one turn where left out; where somebody asks a prompt of their own, its answer is empty. */
  readonly env?: (problem: QuestionAnswer, seed: number) => Env;
  /** Tools that conversations may call until they say something without a call: names, of one's own, or defineTool's; not beside env. */
  readonly tools?: readonly (string | OwnTool | Tool)[];
  /** Who speaks in a conversation, as states of `env` name them; each is compared with itself alone. */
  readonly agents?: readonly string[];
  /** Those among them whose turns are sampled and not trained. */
  readonly frozenAgents?: readonly string[];
  /** Those among the frozen whose turns the weights take that the run started from. */
  readonly startAgents?: readonly string[];
  /** Whether a turn of the policy is trained; all are where left out. */
  readonly trainsTurn?: (turn: TrainedTurn) => boolean;
  /** Most turns of the policy in one conversation (1; with tools one more than calls). */
  readonly maxTurns?: number;
  /**
   * The reward, 1 and more for a right answer; null where it cannot judge. Where left out, 1 when the number or
   * text that the last message comes to is the answer: in \boxed{}, <answer>, after ####, or as it stands.
   */
  readonly score?: (judged: Judged) => number | null;
  /** Whether the answer is right, which accuracy counts; where left out, whether it earns 1 or more. */
  readonly success?: (judged: Judged) => boolean;
  /** Speaks for the policy, for supervised training; says the solution where left out. */
  readonly speaker?: (problem: QuestionAnswer, random: Random) => Speaker;
  /** Settings of its runs, below those of a configuration. */
  readonly config?: RunConfigInput;
}

/** Plain data, which an example's id spells. */
interface Drawn {
  readonly [key: string]: string;
}

function messagesOf({ system }: ProblemTaskDefinition, { question, messages }: QuestionAnswer): readonly Message[] {
  if (messages) return messages;
  const user = { role: "user", content: question } as const;
  return system === undefined ? [user] : [{ role: "system", content: system }, user];
}

function splitOf(definition: ProblemTaskDefinition, problems: readonly QuestionAnswer[], seed: number): ProblemSplit {
  const { id, heldOut } = definition;
  return splitList({ id, problems, ...(heldOut ? { heldOut } : {}), open: (problem) => messagesOf(definition, problem) }, seed);
}

function splitDrawn(definition: ProblemTaskDefinition, draw: (random: Random) => QuestionAnswer, seed: number): ProblemSplit {
  const source = {
    label: definition.id,
    draw: (random: Random) => draw(random) as unknown as Drawn,
    key: ({ question = "" }: Drawn) => question,
    pose: (problem: Drawn) => ({ messages: messagesOf(definition, problem as unknown as QuestionAnswer), answer: problem.answer ?? "" }),
  };
  const { problemOf, ...split } = splitProblems<Drawn>(source, seed);
  return { ...split, problemOf: (example) => problemOf(example) as unknown as QuestionAnswer };
}

const KNOWN: Readonly<Record<keyof ProblemTaskDefinition, true>> = {
  id: true,
  title: true,
  summary: true,
  system: true,
  problems: true,
  heldOut: true,
  env: true,
  tools: true,
  maxTurns: true,
  agents: true,
  frozenAgents: true,
  startAgents: true,
  trainsTurn: true,
  score: true,
  success: true,
  speaker: true,
  config: true,
};
const KEYS = Object.keys(KNOWN);

function checkKeys({ id, env, tools = [], agents = [], frozenAgents = [], startAgents = [], ...rest }: ProblemTaskDefinition): void {
  const refuse = (field: string, message: string) => new InputError([{ field, message: `the task ${id}: ${message}` }]);
  const unknown = Object.keys(rest).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw refuse(unknown, unknownField(unknown, KEYS));
  if (env && tools.length > 0) throw refuse("tools", "tools must be left out beside env, which answers calls itself");
  if (agents.length > 0 && !env) throw refuse("agents", "agents must stand beside env, whose states say who speaks next");
  const strangers = (field: string, names: readonly string[], among: string, known: readonly string[]) => {
    const stranger = names.find((name) => !known.includes(name));
    if (stranger !== undefined)
      throw refuse(field, `${field} must be among ${among} (${known.join(", ") || "none"}), got ${showValue(stranger)}`);
  };
  strangers("frozenAgents", frozenAgents, "agents", agents);
  strangers("startAgents", startAgents, "frozenAgents", frozenAgents);
  if (agents.length > 0 && agents.every((agent) => frozenAgents.includes(agent)))
    throw refuse("frozenAgents", `frozenAgents must leave an agent to train, got all of ${agents.join(", ")}`);
}

const unknownProblem = ({ messages }: Example): QuestionAnswer => ({ question: messages[lastUserIn(messages)]?.content ?? "", answer: "" });

/** A task from its questions and answers. Throws InputError for an unknown key, and where a list is too short to hold any out. */
export function problemTask(definition: ProblemTaskDefinition): Task {
  const { id, title = id, summary = "A custom task.", problems, env, speaker, config } = definition;
  checkKeys(definition);
  const { tools = [] } = definition;
  const toolsFor = readTools(id, tools);
  const callsTools = tools.length > 0;
  const optionsSchema: z.ZodObject = callsTools ? toolOptions : z.strictObject({});
  const right = trueAnswer.part({});
  const score = (example: Example, trajectory: Trajectory) =>
    definition.score ? definition.score(judgedOf(example, trajectory)) : right.score(example, trajectory);
  const answered = defineReward({
    name: "answer",
    title: "Answer",
    help: "What the task gives for the answer.",
    weight: 1,
    score: (_, example, trajectory) => score(example, trajectory),
  });
  return defineTask({
    id,
    title,
    summary,
    rendererKind: "chat",
    ...(callsTools || (definition.maxTurns ?? 1) > 1 ? { severalTurns: true } : {}),
    ...((definition.agents ?? []).length > 1 ? { severalAgents: true } : {}),
    optionsSchema,
    rewards: [answered],
    config: { model: "transformer", ...config },
    create(options, seed) {
      const { maxCalls, announceTools } = callsTools ? toolOptions.parse(options) : { maxCalls: 0, announceTools: false };
      const split = typeof problems === "function" ? splitDrawn(definition, problems, seed) : splitOf(definition, problems, seed);
      const { trainLoader, trainProblems, evaluation } = split;
      const problemOf = (example: Example) => (isOwnPrompt(example) ? unknownProblem(example) : split.problemOf(example));
      return {
        trainLoader,
        ...(trainProblems ? { trainProblems } : {}),
        ...(definition.trainsTurn ? { trainsTurn: definition.trainsTurn } : {}),
        evaluation,
        maxTurns: definition.maxTurns ?? maxCalls + 1,
        frozenAgents: definition.frozenAgents ?? [],
        startAgents: definition.startAgents ?? [],
        envs: {
          build(example, envSeed) {
            if (callsTools) return toolEnv(example, toolsFor(problemOf(example)), { maxCalls, announces: announceTools });
            return env ? env(problemOf(example), envSeed) : singleTurn(example);
          },
        },
        rewards: [answered.part()],
        isSuccess: (example, trajectory) =>
          definition.success ? definition.success(judgedOf(example, trajectory)) === true : (score(example, trajectory) ?? 0) >= 1,
        hasForm: (_example, { stopReason }) => stopReason === "completed",
        demonstration(example, random) {
          const problem = problemOf(example);
          return speaker ? speaker(problem, random) : saying(problem.solution ?? problem.answer);
        },
      };
    },
  });
}
