// What a step costs whose reward is code of somebody's own: the same rule once as text, in the sandbox, and once built in,
// in turns, on 256 completions of the boxed arithmetic's checkpoint.
import { createNodeHost } from "../src/cli/nodeHost.ts";
import { trainRun } from "../src/library/trainRun.ts";
import { z } from "../src/protocol/zod.ts";
import type { LibraryRule } from "../src/rl/rewards/library/libraryRule.ts";
import { finalAnswer } from "../src/rl/rewards/rewardRule.ts";

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
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Steps' times of a run after its first one, in seconds, and the rewards, which must be the same both ways. */
async function timed(isOwn: boolean) {
  const own = isOwn ? { customRewards: { mine: { source: SOURCE } } } : { rewardRules: { mine: {} } };
  const host = createNodeHost(isOwn ? {} : { additions: { rewardRules: [rule] } });
  const { steps } = await trainRun({ ...CONFIG, ...own }, host);
  return {
    seconds: steps.slice(1).map(({ metrics }) => metrics.step_time ?? Number.NaN),
    rewards: steps.map(({ metrics }) => metrics.reward),
  };
}

/** Measures in turns; a line for people, with the ratio of the medians. Throws where the two rules do not give the same rewards. */
export async function measureCustomReward(rounds: number): Promise<string> {
  const seconds: { readonly own: number[]; readonly builtIn: number[] } = { own: [], builtIn: [] };
  for (let round = 0; round < rounds; round++) {
    const [own, builtIn] = [await timed(true), await timed(false)];
    if (own.rewards.join() !== builtIn.rewards.join()) throw new Error("internal: the rule as text and built in gave other rewards");
    seconds.own.push(...own.seconds);
    seconds.builtIn.push(...builtIn.seconds);
  }
  const [own, builtIn] = [median(seconds.own), median(seconds.builtIn)];
  const times = `${(own * 1000).toFixed(1)} ms a step with the reward as text, ${(builtIn * 1000).toFixed(1)} ms built in`;
  return `${times}: ${(own / builtIn).toFixed(3)} times as long (medians of ${seconds.own.length} steps of 256 completions, in turns)`;
}
