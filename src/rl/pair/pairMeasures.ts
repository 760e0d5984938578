// What two runs are compared by on a prompt: a registry. Each makes one number of the prompt's answers in a run. Parts of the reward come
// behind them by name.
import type { StopReason } from "../../protocol/records.ts";
import type { PairMeasure } from "../../protocol/rollouts/runPair.ts";
import { meanOf, summarize } from "../advantage/statistics.ts";

/** What is known of an answer without its text. */
export interface AnswerFacts {
  readonly step: number;
  readonly promptIndex: number;
  readonly reward: number | null;
  /** Null where lengths of the two runs are of other things, such as words and tokens. */
  readonly length: number | null;
  readonly stopReason: StopReason | null;
  readonly success: boolean | null;
  /** By the names of their run's parts, in that order. */
  readonly parts: readonly (number | null)[];
}

/** A measure with how it is read off the answers of a prompt, of which there is one at least; null where they do not tell it. */
export interface ReadMeasure extends PairMeasure {
  readonly read: (answers: readonly AnswerFacts[], partNames: readonly string[]) => number | null;
}

const known = (values: readonly (number | null)[]): readonly number[] => values.filter((value) => value !== null);
const meanKnown = (values: readonly (number | null)[]): number | null => {
  const told = known(values);
  return told.length === 0 ? null : meanOf(told);
};
const rewards = (answers: readonly AnswerFacts[]) => known(answers.map(({ reward }) => reward));

/** The share of answers that a limit cut off; null where it is not known of each why it ended. */
function cutOffShare(answers: readonly AnswerFacts[]): number | null {
  if (answers.some(({ stopReason }) => stopReason === null)) return null;
  return meanOf(answers.map(({ stopReason }) => Number(stopReason === "max-tokens" || stopReason === "max-context")));
}

export const PAIR_MEASURES: readonly ReadMeasure[] = [
  { id: "reward", title: "Mean reward", isShare: false, read: (answers) => meanKnown(answers.map(({ reward }) => reward)) },
  {
    id: "best",
    title: "Best reward",
    isShare: false,
    read: (answers) => (rewards(answers).length > 0 ? Math.max(...rewards(answers)) : null),
  },
  {
    id: "spread",
    title: "Spread of rewards",
    isShare: false,
    read: (answers) => (rewards(answers).length > 1 ? summarize(rewards(answers), "sample").std : null),
  },
  {
    id: "right",
    title: "Right",
    isShare: true,
    read: (answers) => meanKnown(answers.map(({ success }) => (success === null ? null : Number(success)))),
  },
  { id: "cut-off", title: "Cut off", isShare: true, read: cutOffShare },
  { id: "length", title: "Length", isShare: false, read: (answers) => meanKnown(answers.map(({ length }) => length)) },
];

/** The measure of a part of the reward: its mean. */
export function partMeasure(name: string): ReadMeasure {
  return {
    id: `part:${name}`,
    title: name,
    isShare: false,
    read(answers, partNames) {
      const at = partNames.indexOf(name);
      return at < 0 ? null : meanKnown(answers.map(({ parts }) => parts[at] ?? null));
    },
  };
}
