// Problems as a list: those for training and those held out, and examples whose ids say which of them they are about.
import { LabError } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import type { DataLoader, Example, Message } from "../types.ts";
import { cutProblems, problemStream } from "./problems.ts";

/** A question and what is expected. */
export interface QuestionAnswer {
  readonly question: string;
  readonly answer: string;
  /** How a good answer reads, for supervised training; the answer itself where left out. */
  readonly solution?: string;
  /** The whole opening, where it is more than the system's message and the question. */
  readonly messages?: readonly Message[];
  /** What the tool "search" finds. */
  readonly documents?: readonly string[];
}

/** Both sides of a list. */
export interface ProblemSplit {
  trainLoader(): DataLoader;
  /** Left out where they are drawn without end. */
  trainProblems?(): readonly Example[];
  evaluation(count: number): readonly Example[];
  /** The problem that an example is about. */
  problemOf(example: Example): QuestionAnswer;
}

interface ProblemList {
  /** Opens every id; names the task. */
  readonly id: string;
  readonly problems: readonly QuestionAnswer[];
  /** Problems for evaluation; where left out, one in eight of the list is, at least eight of 32 or more. */
  readonly heldOut?: readonly QuestionAnswer[];
  /** What a conversation about a problem opens with. */
  open(problem: QuestionAnswer): readonly Message[];
}

function cutList({ problems, heldOut }: ProblemList) {
  if (heldOut) return { training: problems, evaluated: heldOut };
  const { training, heldOut: evaluated } = cutProblems(problems, ({ question }) => question);
  return { training, evaluated };
}

const questionsOf = (problems: readonly QuestionAnswer[]): number => new Set(problems.map(({ question }) => question)).size;

/** The split of a list. Throws where it is too short to hold any out. */
export function splitList(list: ProblemList, seed: number): ProblemSplit {
  const { id, problems, open } = list;
  const { training, evaluated } = cutList(list);
  if (training.length === 0 || evaluated.length === 0)
    throw new LabError(
      `the task ${id} must have at least 2 different questions, got ${questionsOf(problems)} in ${counted(problems.length, "problem")}`,
      "input",
    );
  const exampleOf = (side: string, problem: QuestionAnswer, i: number): Example => ({
    id: `${id}/${side}/${i}`,
    messages: open(problem),
    answer: problem.answer,
  });
  return {
    trainLoader: () =>
      problemStream(seed, `${id}/train`, (random) => {
        const i = random.below(training.length);
        return exampleOf("train", training[i]!, i);
      }),
    trainProblems: () => training.map((problem, i) => exampleOf("train", problem, i)),
    evaluation: (count) => evaluated.slice(0, count).map((problem, i) => exampleOf("held out", problem, i)),
    problemOf(example) {
      const [side, i] = example.id.slice(id.length + 1).split("/");
      return (side === "train" ? training : evaluated)[Number(i)]!;
    },
  };
}
