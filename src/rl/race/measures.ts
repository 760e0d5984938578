// What the runs of an experiment are compared by: a registry of the kinds of measures, from which the page and the command
// line offer and read them alike. Sampled answers come first: they are what training moves, and greedy ones may stand still
// while sampling gains a quarter.

import type { RunConfig } from "../../protocol/config.ts";
import { counted } from "../../protocol/quantities.ts";
import type { EvaluationRecord } from "../../protocol/records.ts";
import { type PaidPart, paysForAnswers } from "../../protocol/run/paidParts.ts";
import type { RunHistory } from "../verdict/history.ts";
import { type Curve, trailingMeans } from "./curve.ts";

/** Steps over which a metric of the steps is averaged. */
export const REWARD_STEPS = 10;

/** A run as far as a comparison looks at it; without a configuration where it has not begun. */
export type ComparedRun = Pick<RunHistory, "metric" | "evaluations"> & {
  readonly config: RunConfig | null;
  readonly rewards?: readonly PaidPart[] | null;
};

/** A measured value for each step at which there is one, and the answers behind it. */
export interface Measured {
  readonly curve: Curve;
  /** Independent answers behind each value of a share; null for what is no share. */
  readonly trials: number | null;
  /** These answers in words: "24 problems × 4 samples". */
  readonly asked: string | null;
}

export interface Measure {
  /** As it is typed and kept: "sampled", "pass@4", "part:boxedForm". */
  readonly id: string;
  readonly title: string;
  readonly explains: string;
  /** Completes "A has 54 % ...". */
  readonly reaches: string;
  readonly isShare: boolean;
  /** Whether it is measured at evaluations, or at every step. */
  readonly isEvaluated: boolean;
  measure(run: ComparedRun): Measured;
}

interface MeasureKind {
  /** How it is written. */
  readonly form: string;
  /** The one that an id names; null for another kind. */
  read(id: string, rewards: readonly PaidPart[]): Measure | null;
  /** Ids of those that runs like these have. */
  offered(runs: Offered): readonly string[];
}

interface Offered {
  readonly configs: readonly RunConfig[];
  readonly rewards: readonly PaidPart[];
  readonly evaluations: readonly EvaluationRecord[];
}

type ShareOf = (record: EvaluationRecord) => { readonly share: number | undefined; readonly trials: number; readonly asked: string };

/** A share of right answers to held-out problems. */
function evaluated(entry: Pick<Measure, "id" | "title" | "explains" | "reaches">, shareOf: ShareOf): Measure {
  return {
    ...entry,
    isShare: true,
    isEvaluated: true,
    measure({ evaluations }) {
      const measured = evaluations.flatMap((record) => {
        const { share, ...answers } = shareOf(record);
        return share === undefined ? [] : [{ step: record.step, share, ...answers }];
      });
      const { trials = 0, asked = null } = measured.at(-1) ?? {};
      return { curve: { xs: measured.map(({ step }) => step), ys: measured.map(({ share }) => share) }, trials, asked };
    },
  };
}

/** A metric of the steps, averaged over the last of them. */
function stepwise(entry: Pick<Measure, "id" | "title" | "explains" | "reaches">, key: string): Measure {
  return {
    ...entry,
    isShare: false,
    isEvaluated: false,
    measure({ metric, evaluations }) {
      const { steps, values } = metric(key);
      const own = trailingMeans({ xs: Array.from(steps), ys: Array.from(values) }, REWARD_STEPS);
      // What environments report is known of evaluations too, where no step has it.
      const reported = evaluations.flatMap((record) => {
        const value = record.metrics?.[key];
        return value === undefined ? [] : [[record.step, value] as const];
      });
      const curve = own.xs.length > 0 ? own : { xs: reported.map(([step]) => step), ys: reported.map(([, value]) => value) };
      return { curve, trials: null, asked: null };
    },
  };
}

/** Samples of one problem resemble each other: as many independent answers as have the spread of the problems' shares. */
function independentAnswers({ problems, samplesPerProblem, sampledAccuracy, outcomes }: EvaluationRecord): number {
  if (problems === 1) return samplesPerProblem;
  if (!outcomes) return problems;
  const shares = outcomes.right_P.map((right) => right / samplesPerProblem);
  const spread = shares.reduce((sum, share) => sum + (share - sampledAccuracy) ** 2, 0) / (problems - 1);
  const answers = (problems * sampledAccuracy * (1 - sampledAccuracy)) / spread;
  return Number.isFinite(answers) ? Math.min(problems * samplesPerProblem, Math.max(problems, answers)) : problems;
}

const sampled = evaluated(
  {
    id: "sampled",
    title: "Right, sampled",
    explains: "Share of right answers among those sampled for held-out problems. This is what training changes.",
    reaches: "of sampled answers right",
  },
  (record) => ({
    share: record.sampledAccuracy,
    trials: independentAnswers(record),
    asked:
      record.problems === 1
        ? `${record.samplesPerProblem} samples`
        : `${counted(record.problems, "problem")} × ${record.samplesPerProblem} samples`,
  }),
);

const greedy = evaluated(
  {
    id: "greedy",
    title: "Right, greedy",
    explains: "Share of held-out problems answered right when each token is the likeliest one.",
    reaches: "of greedy answers right",
  },
  // One greedy answer, where a task has only one problem, is no measurement.
  ({ problems, greedyAccuracy }) => ({
    share: problems > 1 ? greedyAccuracy : undefined,
    trials: problems,
    asked: counted(problems, "problem"),
  }),
);

const reward = stepwise(
  {
    id: "reward",
    title: "Reward",
    explains: `Mean reward in training over the last ${REWARD_STEPS} steps.`,
    reaches: "mean reward of the last steps",
  },
  "reward",
);

const passAt = (k: number): Measure =>
  evaluated(
    {
      id: `pass@${k}`,
      title: `Pass@${k}`,
      explains: `Share of held-out problems that at least one of ${k} sampled answers solves.`,
      reaches: `of problems solved by one of ${k} samples`,
    },
    // Of the only problem that a task has, each k samples are a try of their own.
    ({ passAtK, problems, samplesPerProblem }) => ({
      share: passAtK[k],
      trials: problems === 1 ? samplesPerProblem / k : problems,
      asked: problems === 1 ? `${samplesPerProblem} samples` : counted(problems, "problem"),
    }),
  );

/** A measure that its id alone names. */
const plain = (measure: Measure, offered: MeasureKind["offered"]): MeasureKind => ({
  form: measure.id,
  read: (id) => (id === measure.id ? measure : null),
  offered: (runs) => offered(runs),
});

const isEvaluatedAtAll = ({ configs, evaluations }: Offered) =>
  configs.some(({ evalEvery }) => evalEvery > 0) || evaluations.some(({ step }) => step > 0);

/** The kinds, the first that runs have is what they are compared by unless somebody chooses. */
export const MEASURE_KINDS: readonly MeasureKind[] = [
  plain(sampled, (runs) => (isEvaluatedAtAll(runs) ? ["sampled"] : [])),
  plain(greedy, (runs) =>
    isEvaluatedAtAll(runs) && (runs.evaluations.length === 0 || runs.evaluations.some(({ problems }) => problems > 1)) ? ["greedy"] : [],
  ),
  {
    form: "pass@K",
    read: (id) => (/^pass@[1-9]\d{0,3}$/.test(id) ? passAt(Number(id.slice(5))) : null),
    offered(runs) {
      const most = Math.max(0, ...runs.configs.map(({ evalSamples }) => evalSamples));
      const known = runs.evaluations.at(-1)?.passAtK;
      const ks = known ? Object.keys(known).map(Number) : [2, 4, 8, 16, 32, 64].filter((k) => k <= most);
      return isEvaluatedAtAll(runs) ? ks.filter((k) => k > 1).map((k) => `pass@${k}`) : [];
    },
  },
  plain(reward, () => ["reward"]),
  {
    form: "part:NAME",
    read(id, rewards) {
      const name = /^part:(.+)$/.exec(id)?.[1];
      if (name === undefined) return null;
      const title = rewards.find((part) => part.name === name)?.title ?? name;
      const explains = `Mean of “${title}” by itself, before its weight, over the last ${REWARD_STEPS} steps of training.`;
      return stepwise({ id, title, explains, reaches: `of “${title}”` }, `rewards/${name}/mean`);
    },
    offered: ({ rewards }) => (rewards.length > 1 ? rewards.map(({ name }) => `part:${name}`) : []),
  },
  {
    form: "metric:KEY",
    read(id) {
      const key = /^metric:(.+)$/.exec(id)?.[1];
      if (key === undefined) return null;
      const title = key.replace(/^env\//, "");
      return stepwise(
        { id, title, explains: `Mean of ${key} over the last ${REWARD_STEPS} steps of training.`, reaches: `of ${title}` },
        key,
      );
    },
    offered: ({ evaluations }) => Object.keys(evaluations.at(-1)?.metrics ?? {}).map((name) => `metric:${name}`),
  },
];

/** The measure that is named so; null where none is. */
export function measureNamed(id: string, rewards: readonly PaidPart[] = []): Measure | null {
  for (const kind of MEASURE_KINDS) {
    const measure = kind.read(id, rewards);
    if (measure) return measure;
  }
  return null;
}

/** Why nothing is named so. */
export const measureRule = (got: string): string =>
  `must be ${MEASURE_KINDS.map(({ form }) => form).join(", ")}, got ${JSON.stringify(got)}`;

/** All parts of the rewards of some runs, each once. */
const partsOf = (runs: readonly Pick<ComparedRun, "rewards">[]): readonly PaidPart[] => [
  ...new Map(runs.flatMap(({ rewards }) => rewards ?? []).map((part) => [part.name, part])).values(),
];

/** What these runs can be compared by, the usual one first. */
export function measuresFor(runs: readonly ComparedRun[]): readonly Measure[] {
  const rewards = partsOf(runs);
  const offered = {
    configs: runs.flatMap(({ config }) => config ?? []),
    rewards,
    evaluations: runs.flatMap(({ evaluations }) => evaluations),
  };
  const all = MEASURE_KINDS.flatMap((kind) => kind.offered(offered)).flatMap((id) => measureNamed(id, rewards) ?? []);
  // Where nobody pays for right answers, what is paid comes first.
  const isPaid = runs.length === 0 || runs.some((run) => paysForAnswers(run.rewards));
  const usual = isPaid ? all[0] : all.find(({ id }) => id === reward.id);
  return usual ? [usual, ...all.filter((each) => each !== usual)] : all;
}
