// How is a run doing? A noisy curve fools people, so the word comes from stated tests on two records: the
// reward of every step and the accuracy on held-out problems. Where they disagree, accuracy decides: it
// is what the reward stands for.
// - The reward is cut where its level changes, by seeded binary segmentation (verdict/changePoints.ts:
//   Kovács, Bühlmann, Li and Munk 2023), at the 1 % level for the whole series.
// - Accuracies are compared by Newcombe's interval for the difference of two shares (1998, method 10), at
//   the 0.5 % level, Bonferroni's share of it for each evaluation that could be the best one.
// - Whether a rise goes on is asked of the second half: by the Mann-Kendall trend test (1945, 1975) of the
//   reward at the 1 % level, or by the accuracies. That it is over is said only where the interval of what the
//   second half added ends below half of the rise so far.
// Looking again after every step makes a false alarm somewhere along a long run likelier than that.
import { measureText, shareText } from "../protocol/quantities.ts";
import { wilsonInterval } from "./accuracy.ts";
import { accuracyCourse, type Change, type Course, rewardCourse } from "./verdict/course.ts";
import { latest, meanOf, type RunHistory, sharesOf } from "./verdict/history.ts";
import { shareOf } from "./verdict/tests.ts";

/** What each word of a verdict means. */
export const VERDICTS = {
  "no evidence yet": "Nothing has changed by more than chance would: no rise and no fall.",
  improving: "It rose by more than chance would, and nothing shows that the rise is over.",
  solved: "At least 95 % of the evaluated answers are right, and surely more than 90 %.",
  plateau: "It rose by more than chance would, and the second half of the run added surely less than half of that.",
  unstable: "It fell by more than chance would and came back, within the second half of the run.",
  falling: "It is lower than it was at its best by more than chance would make it.",
} as const;

export type Verdict = keyof typeof VERDICTS;

export interface VerdictResult {
  readonly verdict: Verdict;
  /** One sentence with the numbers that decided. */
  readonly sentence: string;
}

const SOLVED_SHARE = 0.95;
const SOLVED_SURELY = 0.9;
/** Steps whose success counts as the present. */
const PRESENT = 20;

type Told = Pick<RunHistory, "metric" | "evaluations" | "baselines">;

/** Judges a run by what it has recorded so far. */
export function judgeRun(history: Told): VerdictResult {
  const reward = rewardCourse(history);
  const accuracy = accuracyCourse(history);
  const solved = solvedSentence(history);
  const ofAccuracy = accuracyMeasure(history);
  const { steps } = history.metric("reward");
  const now = Math.max(steps[steps.length - 1] ?? 0, history.evaluations.at(-1)?.step ?? 0);

  const swing = lateSwing(accuracy, now) ?? lateSwing(reward, now);
  if (swing) {
    const [what, show] = swing === accuracy.swing ? ofAccuracy : REWARD;
    const { fall, recovery } = swing;
    const sentence = `${what} fell from ${show(fall.from.value)} to ${show(fall.to.value)} at step ${fall.to.first} and came back to ${show(recovery.to.value)} at step ${recovery.to.first}.`;
    return { verdict: "unstable", sentence };
  }
  if (accuracy.fall) return { verdict: "falling", sentence: changeSentence(accuracy.fall, ofAccuracy, "fell") };
  const asked = history.evaluations.at(-1)?.step ?? 0;
  const isDenied = reward.fall !== null && asked > reward.fall.to.first && (solved !== null || accuracy.rise !== null);
  if (reward.fall && !isDenied) return { verdict: "falling", sentence: changeSentence(reward.fall, REWARD, "fell") };
  if (solved !== null) return { verdict: "solved", sentence: solved };
  const rise = accuracy.rise ?? reward.rise;
  if (!rise) return { verdict: "no evidence yet", sentence: nothingSentence(history) };
  const rose = changeSentence(rise, accuracy.rise ? ofAccuracy : REWARD, "rose").slice(0, -1);
  const goesOn = [reward.goesOn, accuracy.goesOn];
  if (goesOn.includes("yes")) return { verdict: "improving", sentence: `${rose}, and the rise goes on.` };
  if (goesOn.includes("no")) return { verdict: "plateau", sentence: `${rose}; the second half of the run added little of it.` };
  return { verdict: "improving", sentence: `${rose}; it is too early to say whether the rise goes on.` };
}

type Measure = readonly [what: string, show: (value: number) => string];
const REWARD: Measure = ["The reward", measureText];

/** Accuracy on held-out problems: of greedy answers, or where a task has only one problem of its samples. */
function accuracyMeasure({ evaluations }: Told): Measure {
  return [evaluations.at(-1)?.problems === 1 ? "The sampled accuracy" : "The greedy accuracy", shareText];
}

function changeSentence({ from, to }: Change, [what, show]: Measure, verb: string): string {
  return `${what} ${verb} from ${show(from.value)} at step ${from.first} to ${show(to.value)} at step ${to.last}.`;
}

/** A swing that came back in the second half of the run. */
function lateSwing({ swing }: Course, now: number): Course["swing"] {
  return swing && swing.recovery.to.first > now / 2 ? swing : null;
}

/** What says that the task is solved: the last evaluation, or without one since the start the samples of training. */
function solvedSentence(history: Told): string | null {
  const last = sharesOf(history.evaluations).at(-1);
  if (last && (last.step > 0 || history.metric("success_rate").values.length === 0)) {
    const [low] = wilsonInterval(last.right, last.of);
    if (shareOf(last) < SOLVED_SHARE || low < SOLVED_SURELY) return null;
    const which = history.evaluations.at(-1)?.problems === 1 ? "sampled" : "held-out";
    return `${last.right} of ${last.of} ${which} answers are right at step ${last.step}: surely more than ${shareText(low)}.`;
  }
  const successes = latest(history, "success_rate", PRESENT);
  if (successes.length < PRESENT || meanOf(successes) < SOLVED_SHARE) return null;
  return `${shareText(meanOf(successes))} of the answers sampled in the last ${PRESENT} steps are right.`;
}

function nothingSentence({ metric, evaluations }: Told): string {
  const count = metric("reward").values.length;
  const asked = evaluations.length > 1 ? `, nor does the accuracy of ${evaluations.length} evaluations` : "";
  return `The reward of ${count} ${count === 1 ? "step" : "steps"} shows no change beyond chance${asked}.`;
}
