import { describe, expect, it } from "vitest";
import { answerProbability, countedAnswers } from "../../src/ui/ask/answers.ts";

const answer = (...pieces: string[]) => ({ pieces, probabilities: pieces.map(() => 0.5), isComplete: true });

describe("asked answers", () => {
  it("stand once with how often they came, the commonest first", () => {
    const counted = countedAnswers([answer("1"), answer("2"), answer("2"), answer("3"), answer("1", "2"), answer("12")]);
    expect(counted.map(({ answer: { pieces }, count }) => [pieces.join("|"), count])).toEqual([
      ["2", 2],
      ["1", 1],
      ["3", 1],
      ["1|2", 1],
      ["12", 1],
    ]);
  });

  it("are as likely as all their tokens together", () => {
    expect(answerProbability(answer("a", "b", "c"))).toBe(0.125);
    expect(answerProbability(answer())).toBe(1);
  });
});
