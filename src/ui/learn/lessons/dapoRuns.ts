// The runs of the lesson on DAPO: the same run with and without some of its switches, and what is read off the two.
import { shareText } from "../../../protocol/quantities.ts";
import { type LabRuns, metricOf } from "../../experiment/lab/labRun.ts";
import type { Values } from "../lesson/lesson.ts";

export const STEPS = 40;
export const GROUPS = 8;
/** Small enough that the upper clip holds tokens back for several steps. */
const RATE = 0.8;
/** Rounds of sampling in one step at most. */
export const TRIES = 3;

/** The settings of a run with some of the four switches on. */
export function settings({ higher, tokens, refill }: Values) {
  return {
    clipHigh: higher ? 0.28 : 0.2,
    aggregation: tokens ? "token-mean" : "sequence-mean",
    dynamicSampling: refill === 1,
    dynamicSamplingMax: TRIES,
    promptsPerStep: GROUPS,
    groupSize: 4,
    innerEpochs: 4,
    steps: STEPS,
    learningRate: RATE,
  } as const;
}

export type Curve = readonly (readonly [number, number])[];

/** Halfway to a policy that has made up its mind: ten even digits have an entropy of 2.3. */
export const SETTLED = 1;

export function settledText(curves: RunCurves | null): string {
  const first = curves?.entropy.find(([, entropy]) => entropy < SETTLED);
  return first ? `in step ${first[0]}` : `not within ${STEPS} steps`;
}

export const meanOfCurve = (curve: Curve = []) => curve.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, curve.length);
/** Of the first ten steps, in which most is learnt. */
export const heldText = (curves: RunCurves | null) => shareText(meanOfCurve(curves?.held.slice(0, 10)));

function curves({ records }: LabRuns[number]) {
  return {
    right: metricOf(records, "success_rate"),
    entropy: metricOf(records, "entropy"),
    dead: metricOf(records, "frac_reward_zero_std"),
    extra: metricOf(records, "sampling/extra_groups"),
    /** Share of tokens that the upper clip holds. */
    held: metricOf(records, "clip_ratio/high_mean"),
  };
}

export type RunCurves = ReturnType<typeof curves>;

export function stateOf(values: Values, [plain, changed]: LabRuns) {
  const switches = [values.higher ? "clip higher" : "", values.tokens ? "token mean" : "", values.refill ? "dynamic sampling" : ""].filter(
    Boolean,
  );
  const same = (name: string) => {
    const [a, b] = [metricOf(plain?.records ?? [], name), metricOf(changed?.records ?? [], name)];
    return a.length > 0 && a.every(([, value], i) => Object.is(value, b[i]?.[1]));
  };
  return {
    plain: plain ? curves(plain) : null,
    changed: changed ? curves(changed) : null,
    isSame: same("reward") && same("entropy") && same("grad_norm"),
    switches,
  };
}
export type DapoState = ReturnType<typeof stateOf>;
