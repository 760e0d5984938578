// Whether a training taught something: a later reward that is merely greater may be chance, which is half the time.
import { differenceInterval } from "../../../src/rl/accuracy.ts";
import { meanOf } from "../../../src/rl/advantage/statistics.ts";
import { hold, type Interop } from "../check.ts";

/** The least gain of mean reward that counts as learning, and of how many standard errors it must be. */
const [LEAST, ERRORS] = [0.1, 4];

/** What trl_folder.py tells of a training. */
export interface Trained {
  /** Mean reward of each step, in their order. */
  readonly rewards: readonly number[];
  /** Rewards of the lab's rollouts that the folder's programs came to as well. */
  readonly agreed: number;
}

/**
 * The standard deviation of a single step's mean reward, from the differences of successive steps (von Neumann 1941):
 * within a window rewards rise as well, and their spread there would take the learning itself for noise. What they
 * rise from one step to the next makes this one too wide.
 */
function noiseOf(rewards: readonly number[]): number {
  const squares = rewards.slice(1).map((reward, i) => (reward - rewards[i]!) ** 2);
  return Math.sqrt(meanOf(squares) / 2);
}

/** What a training gained from its first `window` steps to its last; throws where that is no gain worth the name. */
export function gainHeld(rewards: readonly number[], window: number): string {
  const [first, last] = [meanOf(rewards.slice(0, window)), meanOf(rewards.slice(-window))];
  const gain = last - first;
  const error = noiseOf(rewards) * Math.sqrt(2 / window);
  const told = `mean reward ${first.toFixed(3)} over the first ${window} of ${rewards.length} steps, ${last.toFixed(3)} over the last: ${gain.toFixed(3)} gained, with a standard error of ${error.toFixed(3)}`;
  hold(gain >= LEAST && gain >= ERRORS * error, `at least ${LEAST} and ${ERRORS} standard errors must be gained, got ${told}`);
  return told;
}

export interface Accuracy {
  readonly accuracy: number;
  readonly accuracyInterval: readonly [number, number];
}

/** Throws unless held-out accuracy rose by more than its interval. */
function liftHeld(before: Accuracy, after: Accuracy): void {
  const [earlier, later] = [before, after].map(({ accuracy, accuracyInterval }) => ({ value: accuracy, interval: accuracyInterval }));
  const [low] = differenceInterval(earlier!, later!);
  hold(low > 0, `held-out accuracy is ${before.accuracy} before and ${after.accuracy} afterwards, a lift of at least ${low}`);
}

/** As a sentence has it. */
export function spoken({ accuracy, accuracyInterval: [low, high] }: Accuracy): string {
  const [share, least, most] = [accuracy, low, high].map((each) => `${(100 * each).toFixed(0)} %`);
  return `${share} (${least} to ${most})`;
}

/**
 * Held-out accuracy of a run and of the folder that TRL saved when it went on from it: a run that begins there and stays
 * there, for its learning rate is 0. Throws unless it rose.
 * @param file the run's configuration. @param saved the folder.
 */
export async function accuraciesHeld({ lab }: Interop, run: string, file: string, saved: string): Promise<string> {
  const before = (await lab("eval", run, "--n", "128")) as unknown as Accuracy;
  await lab("train", file, "--from", saved, "--set", "learningRate=0", "--out", "back");
  const after = (await lab("eval", "back", "--n", "128")) as unknown as Accuracy;
  liftHeld(before, after);
  return `The folder that TRL saved is what \`train --from\` begins with; on 128 held-out problems it has ${spoken(after)}, before TRL ${spoken(before)}.`;
}
