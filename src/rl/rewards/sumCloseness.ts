// How near the digits' sum comes to the target: exp(-|sum - target| / scale), 1 when it is hit.
// Anything but the required number of digits earns 0, the worst reward, rather than counting as
// unscorable: a policy that may also sample the begin mark must learn not to.
import { defineReward, finalAnswer } from "./rewardRule.ts";

const ZERO = "0".charCodeAt(0);

/** Sum of exactly `length` decimal digits, or null for any other text. */
export function digitSumOf(text: string | null, length: number): number | null {
  if (text === null || text.length !== length) return null;
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return null;
    sum += digit;
  }
  return sum;
}

/** Digits in an answer, and how far off their sum may be before the reward has fallen to 1/e. */
interface Settings {
  readonly length: number;
  readonly scale: number;
}

/** Scores the last message against the target in `example.answer`; range [0, 1]. */
export const sumCloseness = defineReward({
  name: "sumCloseness",
  title: "Closeness of the sum",
  help: "exp(-|sum - target| / scale): 1 when the digits add up to the target, falling towards 0; 0 for anything but digits.",
  weight: 1,
  score({ length, scale }: Settings, example, trajectory) {
    const sum = digitSumOf(finalAnswer(trajectory), length);
    return sum === null ? 0 : Math.exp(-Math.abs(sum - Number(example.answer)) / scale);
  },
});
