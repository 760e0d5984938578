// What is shown of asked answers: equal ones once, with how often they came.
import type { Asked, AskedAnswer } from "../../../protocol/asked.ts";

export interface CountedAnswer {
  readonly answer: AskedAnswer;
  readonly count: number;
}

/** Equal answers once, the commonest first; those that came as often stay in the order drawn. */
export function countedAnswers(samples: readonly AskedAnswer[]): readonly CountedAnswer[] {
  const byText = new Map<string, CountedAnswer>();
  for (const answer of samples) {
    // Tokens, not their text: two cuts of one text are two answers.
    const key = JSON.stringify(answer.pieces);
    byText.set(key, { answer: byText.get(key)?.answer ?? answer, count: (byText.get(key)?.count ?? 0) + 1 });
  }
  return [...byText.values()].toSorted((a, b) => b.count - a.count);
}

/** Probability of a whole answer: the product of its tokens'. */
export function answerProbability({ probabilities }: AskedAnswer): number {
  return probabilities.reduce((product, probability) => product * probability, 1);
}

/** How many of the samples are right, after what they are; nothing where none was judged. */
export function rightText(samples: readonly AskedAnswer[]): string {
  const judged = samples.filter(({ isRight }) => isRight !== null);
  if (judged.length === 0) return "";
  const right = judged.filter(({ isRight }) => isRight).length;
  return judged.length === samples.length ? `: ${right} right` : `: ${right} of the ${judged.length} judged right`;
}

/** What right and wrong go by under a question, or why nothing is marked. */
export function judgedText({ expected, now, start }: Pick<Asked, "expected" | "now" | "start">): string {
  if (expected === null) return "This prompt is not one of the task's, so no right answer is known and nothing is marked right or wrong.";
  const known = expected === "" ? "This prompt has many right answers." : `The right answer is ${expected}.`;
  const answers = [now, start].flatMap((each) => (each ? [each.greedy, ...each.samples] : []));
  const isOpen = answers.some(({ isRight }) => isRight === null);
  return isOpen
    ? `${known} An answer without a mark is only a first turn. Its conversation would go on, and would be judged at its end.`
    : known;
}
