// What is shown of asked answers: equal ones once, with how often they came.
import type { AskedAnswer } from "../../protocol/asked.ts";

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
