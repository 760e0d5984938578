// What lesson 9 rewards in place of "four digits that add up to 24", and how often a 9 goes along with being right.
import type { RunConfigInput } from "../../../protocol/config.ts";

export const DIGITS = 4;
export const TARGET = 24;

interface Proxy {
  readonly name: string;
  readonly rules: NonNullable<RunConfigInput["rewardRules"]>;
  readonly weights: NonNullable<RunConfigInput["rewardWeights"]>;
}

const byPattern = (name: string, pattern: string): Proxy => ({
  name,
  rules: { pattern: { pattern } },
  weights: { sumCloseness: 0, pattern: 1 },
});

/** Places of those that the phases need. */
export const [NINE, ACCIDENT, CHECKER] = [0, 2, 3];

/** What is rewarded, the checker last. */
export const PROXIES: readonly Proxy[] = [
  byPattern("has a 9 in it", "9"),
  byPattern("begins with two equal digits", "^(.)\\1"),
  byPattern("has a 9, then a 3", "9.*3"),
  { name: `adds up to ${TARGET} (the checker)`, rules: {}, weights: { sumCloseness: 1 } },
];

/** Of all answers: the share that is right, that has a 9, that is right among those with and without, and has a 9 among the right. */
function countAnswers() {
  const count = { all: 10 ** DIGITS, right: 0, nine: 0, both: 0 };
  for (let answer = 0; answer < count.all; answer++) {
    const digits = Array.from({ length: DIGITS }, (_, i) => Math.floor(answer / 10 ** i) % 10);
    const isRight = digits.reduce((sum, digit) => sum + digit, 0) === TARGET;
    const hasNine = digits.includes(9);
    count.right += Number(isRight);
    count.nine += Number(hasNine);
    count.both += Number(isRight && hasNine);
  }
  return {
    right: count.right / count.all,
    nine: count.nine / count.all,
    nineOfRight: count.both / count.right,
    rightWith: count.both / count.nine,
    rightWithout: (count.right - count.both) / (count.all - count.nine),
  };
}

export const EVEN = countAnswers();
