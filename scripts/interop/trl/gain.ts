// Whether a training taught something: a later reward that is merely greater may be chance, which is half the time.
import { differenceInterval, type Measured, meanInterval } from "../../../src/rl/accuracy.ts";
import { meanOf } from "../../../src/rl/advantage/statistics.ts";
import { hold } from "../check.ts";

/** The least gain of mean reward that counts as learning. */
const LEAST = 0.1;
/** Half widths of the gain's 95 % interval that it must exceed: two are more than four standard errors. */
const HALVES = 2;

/** What trl_folder.py tells of a training. */
export interface Trained {
  /** Mean reward of each step, in their order. */
  readonly rewards: readonly number[];
  /** Rewards of the lab's rollouts that the folder's programs came to as well. */
  readonly agreed: number;
}

const windowOf = (rewards: readonly number[]): Measured => ({ value: meanOf(rewards), interval: meanInterval(rewards) });

/** What a training gained from its first `window` steps to its last; throws where that is no gain worth the name. */
export function gainHeld(rewards: readonly number[], window: number): string {
  const [first, last] = [windowOf(rewards.slice(0, window)), windowOf(rewards.slice(-window))];
  const gain = last.value - first.value;
  const [low, high] = differenceInterval(first, last);
  const told = `mean reward ${first.value.toFixed(3)} over the first ${window} of ${rewards.length} steps, ${last.value.toFixed(3)} over the last: ${gain.toFixed(3)} gained (${low.toFixed(3)} to ${high.toFixed(3)})`;
  hold(gain >= LEAST && gain > HALVES * (gain - low), `at least ${LEAST} and ${HALVES} half widths must be gained, got ${told}`);
  return told;
}

export interface Accuracy {
  readonly accuracy: number;
  readonly accuracyInterval: readonly [number, number];
}

/** Throws unless held-out accuracy rose by more than its interval. */
export function liftHeld(before: Accuracy, after: Accuracy): void {
  const [earlier, later] = [before, after].map(({ accuracy, accuracyInterval }) => ({ value: accuracy, interval: accuracyInterval }));
  const [low] = differenceInterval(earlier!, later!);
  hold(low > 0, `held-out accuracy is ${before.accuracy} before and ${after.accuracy} afterwards, a lift of at least ${low}`);
}
