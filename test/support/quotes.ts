// What a verdict's sentence quotes of a run's records: each number in it must be found there, in the place it names.
import { measureText, shareText } from "../../src/protocol/quantities.ts";
import type { EvaluationRecord, StepRecord } from "../../src/protocol/records.ts";
import { wilsonInterval } from "../../src/rl/accuracy.ts";

export interface Quoted {
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
}

const PRESENT = 20;
const meanOf = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

/** The rewards of these steps, as far as they have one. */
function rewards({ steps }: Quoted, from: number, to: number, key = "reward"): readonly number[] {
  return steps
    .filter(({ step }) => step >= from && step <= to)
    .map(({ metrics }) => metrics[key] ?? Number.NaN)
    .filter((value) => !Number.isNaN(value));
}

/** Whether a measure is told of steps, as the reward is, and not of evaluations. */
const isOfSteps = (name: string) => name === "reward" || name === "loss";

/** Each kind of statement with numbers, and whether the records say so. */
const STATEMENTS: readonly (readonly [RegExp, (found: readonly string[], run: Quoted, name: string) => boolean])[] = [
  [
    /(\S+) \(mean of steps (\d+) to (\d+)\)/g,
    ([said, from, to], run, name) => isOfSteps(name) && said === measureText(meanOf(rewards(run, Number(from), Number(to), name))),
  ],
  [
    /(\S+(?: %)?) at step (\d+)(?!:)/g,
    ([said, at], run, name) => {
      const step = Number(at);
      if (isOfSteps(name)) return said === measureText(rewards(run, step, step, name)[0] ?? Number.NaN);
      const evaluation = run.evaluations.find((each) => each.step === step);
      return said === shareText((name === "greedy" ? evaluation?.greedyAccuracy : evaluation?.sampledAccuracy) ?? Number.NaN);
    },
  ],
  [
    /(\d+) of (\d+) (?:greedy held-out|sampled) answers are right at step (\d+): surely more than (\S+ %)(?:, and (\S+ %) of the sampled ones)?/g,
    ([right, of, step, surely, sampled], run) => {
      const evaluation = run.evaluations.find((each) => each.step === Number(step));
      if (!evaluation) return false;
      const { problems, greedyAccuracy, sampledAccuracy, samplesPerProblem } = evaluation;
      const [count, share] = problems > 1 ? [problems, greedyAccuracy] : [samplesPerProblem, sampledAccuracy];
      const isCounted = Number(of) === count && Number(right) === Math.round(share * count);
      const isSaid = problems === 1 ? sampled === undefined : sampled === shareText(sampledAccuracy);
      return isCounted && isSaid && surely === shareText(wilsonInterval(Number(right), count)[0]);
    },
  ],
  [
    /All (\d+) (?:held-out problems|sampled answers) are right at step (\d+)(?:, and (\S+ %) of the sampled ones)?; that leaves (\S+ %) to (\S+ %)/g,
    ([of, step, sampled, low, high], run) => {
      const evaluation = run.evaluations.find((each) => each.step === Number(step));
      if (!evaluation) return false;
      const { problems, greedyAccuracy, sampledAccuracy, samplesPerProblem } = evaluation;
      const [count, share] = problems > 1 ? [problems, greedyAccuracy] : [samplesPerProblem, sampledAccuracy];
      const isSaid = problems === 1 ? sampled === undefined : sampled === shareText(sampledAccuracy);
      return Number(of) === count && share === 1 && isSaid && `${wilsonInterval(count, count).map(shareText)}` === `${[low, high]}`;
    },
  ],
  [
    /(\S+ %) of the answers sampled in the last (\d+) steps are right/g,
    ([said, count], run) => {
      const all = rewards(run, 0, Number.POSITIVE_INFINITY, "success_rate").slice(-PRESENT);
      return Number(count) === PRESENT && said === shareText(meanOf(all));
    },
  ],
  [
    /The sampled accuracy went from (\S+ %) at step (\d+) to (\S+ %) at step (\d+)/g,
    ([from, first, to, last], { evaluations }) => {
      const [start, end] = [evaluations[0], evaluations.at(-1)];
      const isStep = start?.step === Number(first) && end?.step === Number(last);
      return isStep && from === shareText(start.sampledAccuracy) && to === shareText(end.sampledAccuracy);
    },
  ],
  [
    /stayed the same for all (\d+) steps/g,
    ([count], run, name) => {
      const all = rewards(run, 0, Number.POSITIVE_INFINITY, name);
      return Number(count) === all.length && Math.max(...all) - Math.min(...all) < 1e-6;
    },
  ],
  // That so large a rise does show is tested by itself (test/rl/verdict/shortRuns.test.ts).
  [
    /With 3 times the steps, or 3 times the (?:prompts|examples) a step, a (?:rise|fall) of (\S+) would mostly show/g,
    ([size]) => Number(size!.replace("−", "-")) > 0,
  ],
  [/The (reward|loss) of (\d+) steps?/g, ([key, count], run) => Number(count) === rewards(run, 0, Number.POSITIVE_INFINITY, key).length],
  [/accuracy of (\d+) evaluations/g, ([count], run) => Number(count) === run.evaluations.length],
];

/** What a sentence says that the records do not; empty where each number is found. */
export function unrecorded(sentence: string, run: Quoted): readonly string[] {
  const name = /^The (greedy|sampled|reward|loss)/.exec(sentence)?.[1] ?? "";
  const wrong: string[] = [];
  let rest = sentence;
  for (const [pattern, isSo] of [...STATEMENTS].sort(([a], [b]) => b.source.length - a.source.length)) {
    for (const [text, ...found] of rest.matchAll(pattern)) if (!isSo(found, run, name)) wrong.push(text);
    rest = rest.replaceAll(pattern, "");
  }
  const left = rest.match(/\d+/);
  return left ? [...wrong, `${left[0]} is in no statement that is known: ${rest}`] : wrong;
}
