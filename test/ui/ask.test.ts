import { describe, expect, it } from "vitest";
import { answerProbability, countedAnswers, judgedText, rightText } from "../../src/ui/make/ask/answers.ts";

const answer = (...pieces: string[]) => ({ pieces, probabilities: pieces.map(() => 0.5), isComplete: true, isRight: null });

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

  it("say how many are right, and why some or all are not judged", () => {
    const [right, wrong, open] = [true, false, null].map((isRight) => ({ ...answer("a"), isRight }));
    expect(rightText([right!, wrong!, wrong!])).toBe(": 1 right");
    expect(rightText([right!, wrong!, open!])).toBe(": 1 of the 2 judged right");
    expect(rightText([open!])).toBe("");
    const sides = (one: typeof right) => ({ now: { greedy: one!, samples: [right!] }, start: null });
    expect(judgedText({ expected: "17", ...sides(wrong) })).toBe("The right answer is 17.");
    expect(judgedText({ expected: "17", ...sides(open) })).toMatch(/^The right answer is 17\. An answer without a mark/);
    expect(judgedText({ expected: "", ...sides(right) })).toBe("This prompt has many right answers.");
    expect(judgedText({ expected: null, ...sides(open) })).toMatch(/nothing is marked right or wrong\.$/);
  });
});
