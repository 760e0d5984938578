// What a step costs whose reward is code of somebody's own: the same rule once as text, in the sandbox, and once built in,
// in turns, on 256 completions of the boxed arithmetic's checkpoint.
import { createNodeHost } from "../src/cli/nodeHost.ts";
import { trainRun } from "../src/library/trainRun.ts";
import { z } from "../src/protocol/zod.ts";
import type { LibraryRule } from "../src/rl/rewards/library/libraryRule.ts";
import { finalAnswer } from "../src/rl/rewards/rewardRule.ts";
import { type InTurns, type Timed, told } from "./inTurns.ts";

const STEPS = 4;
const SOURCE = `export function reward({ text }: { text: string }): number {
  let even = 0;
  let digits = 0;
  let rising = 0;
  let last = -1;
  for (const letter of text) {
    if (letter < "0" || letter > "9") continue;
    const digit = Number(letter);
    digits += 1;
    if (digit % 2 === 0) {
      even += 1;
    }
    if (digit >= last) {
      rising += 1;
    }
    last = digit;
  }
  if (digits === 0) return 0;
  return (even + rising) / (2 * digits);
}
`;

/** The same, built in. */
function evenAndRising(text: string): number {
  const digits = Array.from(text).filter((letter) => letter >= "0" && letter <= "9");
  if (digits.length === 0) return 0;
  const even = digits.filter((digit) => Number(digit) % 2 === 0).length;
  const rising = digits.filter((digit, i) => i === 0 || Number(digit) >= Number(digits[i - 1])).length;
  return (even + rising) / (2 * digits.length);
}

const ENTRY = { name: "mine", title: "Even and rising digits", help: "The rule as the lab's own code.", weight: 1 };
const rule: LibraryRule = {
  ...ENTRY,
  settingsSchema: z.strictObject({}),
  fields: [],
  part: () => ({ ...ENTRY, score: (_example, trajectory) => evenAndRising(finalAnswer(trajectory) ?? "") }),
};

const CONFIG = { task: "boxed-arithmetic", promptsPerStep: 8, groupSize: 32, steps: STEPS, evalEvery: 0, evalProblems: 1, seed: 1 };
/** Steps' times of a run after its first one, and the rewards, which must be the same both ways. */
async function timed(isOwn: boolean): Promise<Timed> {
  const own = isOwn ? { customRewards: { mine: { source: SOURCE } } } : { rewardRules: { mine: {} } };
  return told(await trainRun({ ...CONFIG, ...own }, createNodeHost(isOwn ? {} : { additions: { rewardRules: [rule] } })));
}

export const customReward: InTurns = { what: "the reward", unit: "256 completions", timed };
