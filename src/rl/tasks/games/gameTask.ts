// What the games share as tasks: problems that spell an opening, the rewards of winning and of progress,
// and players for worked conversations. A game is left with its rules and how it is played well and badly.
import type { z } from "../../../protocol/zod.ts";
import { askedProblems } from "../../data/splitProblems.ts";
import { type Game, gameEnv } from "../../envs/gameEnv.ts";
import { Random } from "../../random.ts";
import { progress, won } from "../../rewards/reportedRewards.ts";
import type { Trajectory } from "../../types.ts";
import { SHORT_ANSWERS } from "../classic/textTask.ts";
import { defineTask, type Task } from "../task.ts";

/** Plain data of a problem. */
type Plain = Readonly<Record<string, string | number | readonly number[]>>;

interface GameTaskDefinition<Options extends z.ZodObject, Problem extends Plain, State> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly optionsSchema: Options;
  /** The shipped checkpoint that knows its form. */
  readonly checkpoint: string;
  /** Room for one move. */
  readonly maxCompletionTokens: number;
  draw(options: z.output<Options>, random: Random): Problem;
  ask(problem: Problem): string;
  /** The problem whose question this is, with what it leaves open drawn; null where the text poses none. */
  read(prompt: string, random: Random): Problem | null;
  /** The same for problems that ask the same. */
  key?(problem: Problem): string;
  /** What people are told was to be found. */
  answer(problem: Problem): string;
  maxTurns(options: z.output<Options>): number;
  game(problem: Problem): Game<State>;
  /** A move on the shortest way to a win; asked only where there is one. */
  best(problem: Problem, state: State): string;
  /** A legal move that does not win at once. */
  careless(problem: Problem, state: State, random: Random): string;
}

/** Whether every turn was a move and the game came to its end or its limit. */
function hasForm({ stopReason }: Trajectory): boolean {
  return stopReason === "completed" || stopReason === "max-turns";
}

export function defineGameTask<Options extends z.ZodObject, Problem extends Plain, State>(
  definition: GameTaskDefinition<Options, Problem, State>,
): Task {
  const { id, title, summary, optionsSchema, maxCompletionTokens, answer, game, best, careless, checkpoint } = definition;
  return defineTask({
    id,
    title,
    summary,
    optionsSchema,
    rendererKind: "chat",
    severalTurns: true,
    rewards: [won, progress],
    config: { ...SHORT_ANSWERS, maxCompletionTokens, checkpoint },
    create(options, seed) {
      const { trainLoader, evaluation, problemOf, exampleOf } = askedProblems<z.output<Options>, Problem>(
        definition,
        answer,
        options,
        seed,
      );
      return {
        trainLoader,
        evaluation,
        asks(prompt) {
          const problem = definition.read(prompt, new Random(seed));
          return problem && exampleOf(problem);
        },
        envs: { build: (example) => gameEnv(example, game(problemOf(example))) },
        maxTurns: definition.maxTurns(options),
        rewards: [won.part(), progress.part()],
        isSuccess: (_, { report }) => report?.metrics.won === 1,
        hasForm: (_, trajectory) => hasForm(trajectory),
        demonstration(example, random, noise) {
          const problem = problemOf(example);
          const rules = game(problem);
          const isCareless = random.uniform() < noise;
          // The player keeps the board as the environment does: every move of both leads to the same place.
          let state = rules.opening;
          return () => {
            const content = isCareless ? careless(problem, state, random) : best(problem, state);
            state = rules.play(state, content)?.state ?? state;
            return { role: "assistant", content };
          };
        },
      };
    },
  });
}
