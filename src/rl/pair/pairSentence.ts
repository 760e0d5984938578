// What two runs on the same prompts come to, in words, for the page and the command line alike.
import { counted, measureText, shareText, signedMeasureText, signedMeasureWith } from "../../protocol/quantities.ts";
import type { PairAnswer, PairMeasure, PairSide, PairStep } from "../../protocol/rollouts/runPair.ts";

type Kind = Pick<PairMeasure, "isShare">;

/** A value of a measure; a dash where it is not known. */
export function pairValueText({ isShare }: Kind, value: number | null): string {
  if (value === null) return "–";
  return isShare ? shareText(value) : measureText(value);
}

/** How far two values are apart: "+0.292", and of shares "+12.5 points". */
export const pairDifferenceText = ({ isShare }: Kind, difference: number): string =>
  isShare ? `${signedMeasureWith(100 * difference, 1)} points` : signedMeasureText(difference);

/** "step 12", "the last step of each prompt". */
const pairStepText = (step: PairStep): string => (step === "last" ? "the last step of each prompt" : `step ${step}`);

const sidesText = ({ left, right }: PairAnswer): string =>
  left.step === right.step
    ? `at ${pairStepText(left.step)}`
    : `at ${pairStepText(left.step)} of ${left.name} and ${pairStepText(right.step)} of ${right.name}`;

/** What a measure came to in both runs: "On 16 prompts that both were asked ...". */
export function pairSentence(answer: PairAnswer, measure: string): string {
  const { left, right, totals, measures } = answer;
  const of = measures.find(({ id }) => id === measure) ?? { title: measure, isShare: false };
  const title = of.isShare ? `share ${of.title.toLowerCase()}` : of.title.toLowerCase();
  const total = totals.find((each) => each.measure === measure);
  if (left.prompts === left.alone) return `No prompt was asked in both runs ${sidesText(answer)}.`;
  if (!total || total.left === null || total.right === null || total.difference === null)
    return `No prompt that both were asked ${sidesText(answer)} has a ${title} in both.`;
  const differs = total.interval && (total.interval[0] > 0 || total.interval[1] < 0);
  const said = `On ${counted(total.prompts, "prompt")} that both were asked ${sidesText(answer)}, the ${title} is ${pairValueText(of, total.left)} in ${left.name} and ${pairValueText(of, total.right)} in ${right.name}`;
  const { rose, fell, same } = total.moved;
  const moved = `it rose on ${rose}, fell on ${fell} and is the same on ${same}`;
  if (!total.interval) return `${said}; ${moved}. There is no interval of the difference: ${total.noInterval}.`;
  const [low, high] = total.interval;
  return `${said}; ${moved}. The difference is ${pairDifferenceText(of, total.difference)}, with an interval of 95 % from ${pairDifferenceText(of, low)} to ${pairDifferenceText(of, high)}, prompts paired: ${
    differs ? "these two runs differ on such prompts" : "no difference is shown"
  }. One run each says nothing of other seeds.`;
}

/** Prompts that only one of the two was asked, a sentence for each run that has some. */
export function aloneSentences({ left, right }: PairAnswer): readonly string[] {
  const sentence = (own: PairSide, other: PairSide) => {
    if (own.alone === 0) return [];
    const never = own.never === 0 ? "" : own.never === own.alone ? `, and never was` : `, and was never asked ${own.never} of them`;
    return [
      `${counted(own.alone, "prompt")} of ${own.name} ${own.alone === 1 ? "is" : "are"} not compared: ${other.name} was not asked ${own.alone === 1 ? "it" : "them"} there${never}.`,
    ];
  };
  return [...sentence(left, right), ...sentence(right, left)];
}
