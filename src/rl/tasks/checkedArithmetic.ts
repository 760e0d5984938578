// Two agents do arithmetic: a solver answers in \boxed{}, a checker accepts or refuses the answer, and a
// refused one may be given again. The last answer counts.

import { choice, integer, section } from "../../protocol/config/field.ts";
import { z } from "../../protocol/zod.ts";
import { splitProblems } from "../data/splitProblems.ts";
import { CHECKER, checkingEnv, SOLVER, verdictOf } from "../envs/checkingEnv.ts";
import { power } from "../exactMath.ts";
import type { Random } from "../random.ts";
import { boxedMatches, hasBoxedNumber } from "../rewards/boxedAnswer.ts";
import { defineReward } from "../rewards/rewardRule.ts";
import type { Speaker } from "../rollout/demonstration.ts";
import type { Message, Trajectory } from "../types.ts";
import { SHORT_ANSWERS } from "./classic/textTask.ts";
import { type Operation, resultOf, wrongResult } from "./mistakes.ts";
import { defineTask } from "./task.ts";

const optionsSchema = z.strictObject(
  section("task", {
    largestOperand: integer(9, 999, 99, "Largest operand", "Operands run from 0 to this number."),
    rounds: integer(1, 3, 2, "Answers", "How often the solver may answer; with 1 there is nothing to check."),
    trained: choice(
      ["both", "solver", "checker"],
      "both",
      "Trained agents",
      "Whose tokens are trained. Both agents are the same policy; the other one's tokens are sampled and shown, but have no part in the loss.",
    ),
    frozenStart: choice(
      ["nobody", "solver", "checker"],
      "nobody",
      "Plays the frozen start",
      "This agent is spoken for by the weights the run started from, and is not trained.",
    ),
  }),
);

interface Sum {
  readonly [key: string]: number | string;
  readonly operation: Operation;
  readonly a: number;
  readonly b: number;
}

const SIGNS = { add: "+", subtract: "-" } as const;

/** The last message of the solver. */
function lastAnswer({ messages }: Trajectory): string | null {
  return messages.findLast(({ agent }) => agent === SOLVER)?.content ?? null;
}

/** The last answer's correctness: what the two reach together. */
const checked = defineReward({
  name: "checked",
  title: "Right in the end",
  help: "1 when the solver's last answer is right, else 0.",
  weight: 1,
  paysAnswers: true,
  score: (_, example, trajectory) => (boxedMatches(lastAnswer(trajectory), example.answer) ? 1 : 0),
});

/** What each turn of an agent has of the share of its turns that were right; null where it took none. */
function rightTurns({ report }: Trajectory, agent: string): readonly number[] | null {
  const turns = report?.turns ?? [];
  const taken = turns.filter((turn) => turn.agent === agent).length;
  return taken === 0 ? null : turns.map((turn) => (turn.agent === agent ? (turn.reward ?? 0) / taken : 0));
}

const sumOf = (shares: readonly number[] | null): number | null => shares?.reduce((sum, share) => sum + share, 0) ?? null;

/** Share of the solver's answers that are right. */
const answers = defineReward({
  name: "answers",
  title: "Right answers",
  help: "Share of the solver's answers that were right; its own where agents have their own rewards.",
  weight: 0,
  paysAnswers: true,
  score: (_, __, trajectory) => sumOf(rightTurns(trajectory, SOLVER)),
  turns: (_, __, trajectory) => rightTurns(trajectory, SOLVER),
});

/** Share of the checker's verdicts that agree with the truth. */
const verdicts = defineReward({
  name: "verdicts",
  title: "Right verdicts",
  help: "Share of the checker's verdicts that were right, its own where agents have their own rewards; nothing where it gave none.",
  weight: 0,
  score: (_, __, trajectory) => sumOf(rightTurns(trajectory, CHECKER)),
  turns: (_, __, trajectory) => rightTurns(trajectory, CHECKER),
});

/**
 * Answers wrongly in a share of its turns and always checks honestly: what is refused was wrong, so a second
 * answer is worth giving, and a verdict is worth hearing.
 * @param slips share of the answers that are wrong
 */
function checkedSpeaker({ operation, a, b }: Sum, slips: number, random: Random): Speaker {
  const right = String(resultOf(operation, a, b));
  return ({ messages, agent }) => {
    if (agent !== CHECKER) {
      const given = random.uniform() < slips ? wrongResult(operation, a, b, random) : right;
      return { role: "assistant", content: `\\boxed{${given}}` };
    }
    const answer = messages.findLast((message: Message) => message.agent === SOLVER)?.content ?? null;
    return { role: "assistant", content: `${right} ${boxedMatches(answer, right) ? "yes" : "no"}` };
  };
}

export const checkedArithmetic = defineTask({
  id: "checked-arithmetic",
  title: "Solver and checker",
  summary: "A solver does a sum, a checker accepts or refuses it, and a refused answer is given again.",
  rendererKind: "chat",
  severalTurns: true,
  severalAgents: true,
  optionsSchema,
  rewards: [checked, answers, verdicts],
  config: { ...SHORT_ANSWERS, checkpoint: "agents", maxCompletionTokens: 16 },
  create({ largestOperand, rounds, trained, frozenStart }, seed) {
    const { trainLoader, evaluation, problemOf, exampleOf } = splitProblems<Sum>(
      {
        label: "checked-arithmetic",
        draw(random) {
          const x = random.below(largestOperand + 1);
          const y = random.below(largestOperand + 1);
          const operation = random.pick(["add", "subtract"] as const);
          return operation === "subtract" ? { operation, a: Math.max(x, y), b: Math.min(x, y) } : { operation, a: x, b: y };
        },
        key: ({ operation, a, b }) => `${operation} ${Math.min(a, b)} ${Math.max(a, b)}`,
        pose: ({ operation, a, b }) => ({
          messages: [{ role: "user", content: `What is ${a} ${SIGNS[operation as keyof typeof SIGNS]} ${b}?` }],
          answer: String(resultOf(operation, a, b)),
        }),
      },
      seed,
    );
    return {
      trainLoader,
      evaluation,
      asks(prompt) {
        const [, a, sign, b] = /^What is (0|[1-9]\d{0,3}) ([-+]) (0|[1-9]\d{0,3})\?$/.exec(prompt) ?? [];
        return sign === undefined ? undefined : exampleOf({ operation: sign === "+" ? "add" : "subtract", a: Number(a), b: Number(b) });
      },
      envs: { build: (example) => checkingEnv(example, (content) => boxedMatches(content, example.answer), rounds) },
      maxTurns: 2 * rounds - 1,
      frozenAgents: [SOLVER, CHECKER].filter((agent) => agent === frozenStart || (trained !== "both" && agent !== trained)),
      startAgents: frozenStart === "nobody" ? [] : [frozenStart],
      rewards: [checked.part(), answers.part(), verdicts.part()],
      isSuccess: (example, trajectory) => boxedMatches(lastAnswer(trajectory), example.answer),
      hasForm: (_, { stopReason, messages }) =>
        stopReason === "completed" &&
        messages.every(({ agent, content }) =>
          agent === SOLVER ? hasBoxedNumber(content) : agent === CHECKER ? verdictOf(content) !== null : true,
        ),
      // A conversation fails where every answer of it is wrong.
      demonstration: (example, random, noise) => checkedSpeaker(problemOf(example), power(noise, 1 / rounds), random),
    };
  },
});
