// How near the digits' sum comes to the target: exp(-|sum - target| / scale), 1 when it is hit.
// Anything but the required number of digits earns 0, the worst reward, rather than counting as
// unscorable: a policy that may also sample the begin mark must learn not to.
import { exp } from "../exactMath.ts";
import type { Example } from "../types.ts";
import { defineReward, finalAnswer } from "./rewardRule.ts";

const ZERO = "0".charCodeAt(0);

/** The mark that begins an answer, in words; behind the last digit it fills the places that are left. */
export const BEGIN_TEXT = "<begin>";

/** Sum of exactly `length` decimal digits with nothing but marks behind them, or null for any other text. */
export function digitSumOf(text: string | null, length: number): number | null {
  if (text === null || text.length < length) return null;
  if (text.length > length && text.slice(length).replaceAll(BEGIN_TEXT, "") !== "") return null;
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return null;
    sum += digit;
  }
  return sum;
}

/** How many digits a problem asks for, and how far off their sum may be before the reward has fallen to 1/e. */
interface Settings {
  readonly lengthOf: (example: Example) => number;
  readonly scale: number;
}

/** Scores the last message against the target in `example.answer`; range [0, 1]. */
export const sumCloseness = defineReward({
  name: "sumCloseness",
  title: "Closeness of the sum",
  help: "exp(-|sum - target| / scale): 1 when the digits add up to the target, falling towards 0; 0 for anything but digits.",
  weight: 1,
  paysAnswers: true,
  score({ lengthOf, scale }: Settings, example, trajectory) {
    const sum = digitSumOf(finalAnswer(trajectory), lengthOf(example));
    return sum === null ? 0 : exp(-Math.abs(sum - Number(example.answer)) / scale);
  },
});
