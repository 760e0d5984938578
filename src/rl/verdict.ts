// How is a run doing at what it is paid for? A noisy curve fools people, so the word comes from stated tests on two
// records: the reward of every step and, where some of the reward is paid for right answers, the accuracy on held-out
// problems. Where these disagree, accuracy decides: it is what the reward stands for. An accuracy that nobody pays for
// may do what it likes.
// - The reward is compared block by block, and its trend from its first steps on is asked at a few lengths
//   (verdict/rewardTrend.ts), by Student's t that knows of noise and autocorrelation (verdict/trend.ts).
// - Accuracies of greedy and of sampled answers are compared problem by problem where the same were asked, else by
//   Newcombe's interval (verdict/evaluations.ts), at the 0.5 % level, Bonferroni's share of it for each evaluation
//   that could be the best one.
// - Whether a rise goes on is asked of the second half: by the slope of the reward at the 1 % level, or by the accuracies. That
//   it is over is said only where the interval of what the second half added ends below half of the rise so far.
// Levels are so strict because somebody looks after every step: of flat runs of 100 steps less than 5 % meet a false
// alarm anywhere on the way (test/rl/verdict/trend.test.ts).

import { capital, counted, measureText, shareText } from "../protocol/quantities.ts";
import { paidText, paysForAnswers } from "../protocol/run/paidParts.ts";
import type { VerdictWord } from "../protocol/run/runSummary.ts";
import { fewProblems, wilsonInterval } from "./accuracy.ts";
import { meanOf } from "./advantage/statistics.ts";
import { shareOf } from "./verdict/estimate.ts";
import { type Answers, liftOf } from "./verdict/evaluations.ts";
import {
  EQUAL,
  isOver,
  latest,
  outerEvaluations,
  RECENT_STEPS,
  type RecordedRun,
  sharesOf,
  stepsAtTop,
  withoutAnswers,
} from "./verdict/history.ts";
import { accuracyTrend, type Change, type Level, rewardTrend, seenAtEnd, type Trend } from "./verdict/rewardTrend.ts";

/** What each word of a verdict means. */
export const VERDICTS = {
  "no evidence yet": "Nothing has changed so far by more than chance would: no rise and no fall.",
  "no clear change": "The run is over, and nothing has changed by more than chance would: no rise and no fall.",
  improving: "It rose by more than chance would, and nothing shows that the rise is over.",
  solved:
    "At least 95 % of the evaluated answers are right, surely more than 90 % or all of a few, and so are at least 90 % of the sampled ones.",
  plateau:
    "It rose by more than chance would, and the second half of the run added surely less than half of that, or it stands at its highest with all groups tied.",
  unstable: "It fell by more than chance would and came back, within the second half of the run.",
  falling: "It is lower than it was at its best by more than chance would make it.",
} as const satisfies Readonly<Record<VerdictWord, string>>;

export type Verdict = VerdictWord;

export interface VerdictResult {
  readonly verdict: Verdict;
  /** One sentence with the numbers that decided. */
  readonly sentence: string;
}

/** Share of right answers from which a task counts as solved, in verdicts and in races. */
export const SOLVED_SHARE = 0.95;
const SOLVED_SURELY = 0.9;

/** Judges a run by what it has recorded so far. */
export function judgeRun(recorded: RecordedRun): VerdictResult {
  if (recorded.config?.kind === "supervised") return judgedByLoss(recorded);
  const isPaidForAnswers = paysForAnswers(recorded.rewards);
  const reward = { trend: rewardTrend(recorded), name: rewardName(recorded), show: measureText, ...AS_IT_IS };
  const { verdict, sentence } = judged(isPaidForAnswers ? recorded : withoutAnswers(recorded), reward);
  return {
    verdict,
    sentence: isPaidForAnswers ? sentence : `${sentence} Accuracy does not count here: it is not what the reward pays for.`,
  };
}

/** Training on worked examples, which earns no reward: its loss is to come down, so that its negative is to rise. */
function judgedByLoss(recorded: RecordedRun): VerdictResult {
  const { steps, values } = recorded.metric("loss");
  const negative = { steps, values: Array.from(values, (loss) => -loss) };
  const turned: RecordedRun = {
    ...recorded,
    baselines: [],
    metric: (key) => (key === "reward" ? negative : recorded.metric(key)),
  };
  const show = (value: number) => measureText(-value);
  return judged(turned, { trend: rewardTrend(turned), name: "The loss", show, up: "fell", down: "rose" });
}

/** One that is called no more than that is not named twice. */
const rewardName = ({ rewards }: RecordedRun): string => `The reward ${paidText(rewards)}`.replace("“reward”", "").trim();

function judged(history: RecordedRun, reward: Measure): VerdictResult {
  // Sampled answers are what training moves: where both tell the same, they speak.
  const [sampled, greedy] = (["sampled", "greedy"] as const).map((answers) => accuracyMeasure(history, answers));
  const accuracies = sampled && greedy ? [sampled, greedy] : [];
  const solved = solvedSentence(history);
  const { steps } = history.metric("reward");
  const asked = history.evaluations.at(-1)?.step ?? 0;
  const now = Math.max(steps[steps.length - 1] ?? 0, asked);

  const unstable = [...accuracies, reward].find(({ trend }) => trend.swing && trend.swing.recovery.to.first > now / 2);
  if (unstable?.trend.swing) {
    const { fall, recovery } = unstable.trend.swing;
    const sentence = `${changeText(fall, unstable, unstable.down)} and came back to ${levelText(recovery.to, unstable.show)}.`;
    return { verdict: "unstable", sentence };
  }
  const rise = accuracies.find(({ trend }) => trend.rise) ?? (reward.trend.rise ? reward : undefined);
  const isDenied =
    reward.trend.fall !== null &&
    asked > reward.trend.fall.to.first &&
    (solved !== null || accuracies.some(({ trend }) => trend.rise !== null));
  const fallen = accuracies.find(({ trend }) => trend.fall) ?? (reward.trend.fall && !isDenied ? reward : undefined);
  if (fallen?.trend.fall) return { verdict: "falling", sentence: `${changeText(fallen.trend.fall, fallen, fallen.down)}.` };
  if (solved !== null) return { verdict: "solved", sentence: solved };
  if (!rise?.trend.rise) {
    return isOver(history)
      ? { verdict: "no clear change", sentence: endSentence(history, reward) }
      : { verdict: "no evidence yet", sentence: nothingSentence(history, reward) };
  }
  const rose = changeText(rise.trend.rise, rise, rise.up);
  const top = reward.trend.rise && stepsAtTop(history);
  if (top) return { verdict: "plateau", sentence: `${changeText(reward.trend.rise!, reward, reward.up)}. ${topText(top)}` };
  const goesOn = [reward, ...accuracies].map(({ trend }) => trend.goesOn);
  if (goesOn.includes("yes")) return { verdict: "improving", sentence: `${rose}, and ${goesOnText(rise)} goes on.` };
  if (goesOn.includes("no")) return { verdict: "plateau", sentence: `${rose}; the second half of the run added little of it.` };
  const open = isOver(history) ? "only more steps would show" : "it is too early to say";
  return { verdict: "improving", sentence: `${rose}; ${open} whether ${goesOnText(rise)} goes on.` };
}

interface Measure {
  readonly trend: Trend;
  readonly name: string;
  readonly show: (value: number) => string;
  /** How people say that it went up and down. */
  readonly up: "rose" | "fell";
  readonly down: "rose" | "fell";
}

const AS_IT_IS = { up: "rose", down: "fell" } as const;

/** Accuracy on held-out problems; one greedy answer, where a task has only one problem, is no measurement. */
function accuracyMeasure({ evaluations }: RecordedRun, answers: "greedy" | "sampled"): Measure {
  const isMeasured = answers === "sampled" || evaluations.at(-1)?.problems !== 1;
  return {
    trend: accuracyTrend({ evaluations: isMeasured ? evaluations : [] }, answers),
    name: `The ${answers} accuracy`,
    show: shareText,
    ...AS_IT_IS,
  };
}

const topText = (steps: number): string =>
  `It stands at its highest: in the last ${steps} steps all answers to a prompt earned the same, so nothing is left to learn from.`;

const goesOnText = ({ up }: Measure): string => (up === "rose" ? "the rise" : "the fall");

function changeText({ from, to }: Change, { name, show }: Measure, verb: string): string {
  return `${name} ${verb} from ${levelText(from, show)} to ${levelText(to, show)}`;
}

/** A level is a mean over its steps, and told as one where it is of more than one. */
function levelText({ value, first, last }: Level, show: Measure["show"]): string {
  return first === last ? `${show(value)} at step ${last}` : `${show(value)} (mean of steps ${first} to ${last})`;
}

/** What says that the task is solved: the last evaluation, or without one since the start the samples of training. */
function solvedSentence(history: RecordedRun): string | null {
  const last = sharesOf(history.evaluations).at(-1);
  if (last && (last.step > 0 || history.metric("success_rate").values.length === 0)) {
    const [low, high] = wilsonInterval(last.right, last.of);
    const { problems, sampledAccuracy } = history.evaluations.at(-1)!;
    // Greedy answers can all be right before anything is learnt: what training moves is sampled.
    if (shareOf(last) < SOLVED_SHARE || sampledAccuracy < SOLVED_SURELY) return null;
    const also = problems === 1 ? "" : `, and ${shareText(sampledAccuracy)} of the sampled ones`;
    if (low >= SOLVED_SURELY) {
      const which = problems === 1 ? "sampled" : "greedy held-out";
      return `${last.right} of ${last.of} ${which} answers are right at step ${last.step}: surely more than ${shareText(low)}${also}.`;
    }
    // Of few problems nothing is surer than that all are right. Of very few even that may be luck, unless training says the same.
    if (last.right < last.of || (fewProblems(last.of, false) !== null && trainingSolved(history) === null)) return null;
    const what = problems === 1 ? "sampled answers" : "held-out problems";
    const left = `that leaves ${shareText(low)} to ${shareText(high)} for ${problems === 1 ? "other samples" : "other problems"}`;
    return `All ${last.of} ${what} are right at step ${last.step}${also}; ${left}.`;
  }
  return trainingSolved(history);
}

/** That the answers to training problems are right by now, in a sentence; null where they are not. */
function trainingSolved(history: RecordedRun): string | null {
  const successes = latest(history, "success_rate");
  if (successes.length < RECENT_STEPS || meanOf(successes) < SOLVED_SHARE) return null;
  return `${shareText(meanOf(successes))} of the answers sampled in the last ${RECENT_STEPS} steps are right.`;
}

function nothingSentence({ metric, evaluations }: RecordedRun, { name }: Measure): string {
  const count = metric("reward").values.length;
  const which = evaluations.at(-1)?.problems === 1 ? "sampled" : "greedy or sampled";
  const asked = evaluations.length > 1 ? `the ${which} accuracy of ${evaluations.length} evaluations` : "";
  const alone = aloneSentence(evaluations);
  if (alone !== null) return alone;
  // Worked examples earn no reward.
  if (count === 0) return asked ? `${capital(asked)} shows no change beyond chance.` : "Nothing is measured yet that could have changed.";
  return `${name} of ${counted(count, "step")} shows no change beyond chance${asked ? `, nor does ${asked}` : ""}.`;
}

/** At its end a run is told what so many times the steps or prompts would show. */
const TIMES = 3;

/** What was seen in a run that is over and shows no change, and what would show more. */
function endSentence(history: RecordedRun, { name, show, up }: Measure): string {
  const { values } = history.metric("reward");
  const also = accuracySeen(history.evaluations);
  if (values.length === 0) return `Nothing was measured that could have changed.${also}`;
  const seen = seenAtEnd(history, TIMES);
  if (seen === null) return `${name} of ${counted(values.length, "step")} tells no change from chance: that takes more steps.${also}`;
  const sizes = Array.from(values);
  if (Math.max(...sizes) - Math.min(...sizes) < EQUAL) {
    return `${name} stayed the same for all ${sizes.length} steps: ${levelText(seen.to, show)}.${also}`;
  }
  const went = `${name} went from ${levelText(seen.from, show)} to ${levelText(seen.to, show)}: no change beyond chance.`;
  const [more, rise] = up === "rose" ? ["prompts", "a rise"] : ["examples", "a fall"];
  return `${went}${also} With ${TIMES} times the steps, or ${TIMES} times the ${more} a step, ${rise} of ${measureText(seen.wouldShow)} would mostly show.`;
}

/** What the evaluations have seen, as a further sentence; empty where there is only one. */
function accuracySeen(evaluations: RecordedRun["evaluations"]): string {
  const outer = outerEvaluations(evaluations);
  if (!outer) return "";
  const alone = aloneSentence(evaluations);
  if (alone !== null) return ` ${alone}`;
  const [from, to] = outer.map(({ step, sampledAccuracy }) => `${shareText(sampledAccuracy)} at step ${step}`);
  return ` The sampled accuracy went from ${from} to ${to}, no change beyond chance either.`;
}

/**
 * Why a lift whose own interval leaves 0 out, as a report may show it beside the verdict, is none yet; null without
 * one. It stands alone: two lines are the verdict's room.
 */
function aloneSentence(evaluations: RecordedRun["evaluations"]): string | null {
  const outer = outerEvaluations(evaluations);
  if (!outer) return null;
  const [first, last] = outer;
  const isApart = (answers: Answers) => {
    if (answers === "greedy" && last.problems === 1) return false;
    const [low, high] = liftOf(first, last, answers).interval;
    return low > 0 || high < 0;
  };
  const apart = (["sampled", "greedy"] as const).filter(isApart);
  if (apart.length === 0) return null;
  const what = `the ${apart.join(" and the ")} accuracy`;
  return `${capital(what)} would differ from the start's if compared once; in a run looked at so often, chance brings that now and then.`;
}
