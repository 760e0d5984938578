// What a run has changed, as its records tell it: its first and its last answer to the same held-out prompts; and what would have made it
// fail. Pure.

import type { Probed, ProbePrompt } from "../../../protocol/asked.ts";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { roundedSetting } from "../../../protocol/quantities.ts";
import type { ProbeAnswer } from "../../../protocol/records.ts";
import { answerLogprob, saidTokens } from "../../step/overTime/comparison.ts";
import { readableText } from "../../step/tokens/readable.ts";

export interface SaidThen {
  readonly text: string;
  /** Null where a conversation would go on after it. */
  readonly reward: number | null;
  /** How likely all of it was, at the run's temperature. */
  readonly probability: number;
}

export interface ChangedAnswer {
  readonly question: string;
  /** The right answer; "" where there is none. */
  readonly expected: string;
  readonly before: SaidThen;
  readonly after: SaidThen;
}

export interface Changed {
  /** Steps of the two. */
  readonly from: number;
  readonly to: number;
  readonly answers: readonly ChangedAnswer[];
}

const questionOf = ({ messages, exampleId }: ProbePrompt) => messages.findLast(({ role }) => role === "user")?.content ?? exampleId;

function saidThen(answer: ProbeAnswer, pieces: Probed["pieces"]): SaidThen {
  const text = readableText(saidTokens(answer).map((token) => pieces[token] ?? "")).trim();
  return { text: answer.isComplete ? text : `${text} …`, reward: answer.reward, probability: Math.exp(answerLogprob(answer)) };
}

/** Null where nothing was recorded, or at one step alone. */
export function changedAnswers({ prompts, records, pieces }: Probed): Changed | null {
  const first = records[0];
  const last = records.at(-1);
  if (!first || !last || first === last) return null;
  const answers = prompts.flatMap((prompt, place): ChangedAnswer[] => {
    const before = first.answers[place];
    const after = last.answers[place];
    if (!before || !after || before.tokens_T.length === 0) return [];
    return [{ question: questionOf(prompt), expected: prompt.answer, before: saidThen(before, pieces), after: saidThen(after, pieces) }];
  });
  return answers.length > 0 ? { from: first.step, to: last.step, answers } : null;
}

/** How many times the learning rate breaks a run: the policy is thrown about from its first steps on. */
const TOO_LONG = 30;
/** Fewer times than this may still train, so that steps of a thousandth are taken, which teach nothing. */
const AT_LEAST = 2;
const TOO_SHORT = 1e-3;

/**
 * The setting that makes a run like this one fail, within the range of its field: steps far too long, or where it has
 * the longest, too short.
 */
export function breakingSetting(catalog: Catalog, { learningRate }: Pick<RunConfig, "learningRate">): readonly [RunConfigKey, number] {
  const field = catalog.fields.find(({ key }) => key === "learningRate");
  const most = field?.kind === "number" ? (field.max ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  // A run that takes no steps learns nothing as it is; any steps are others.
  const longer = Math.min(most, learningRate === 0 ? most : TOO_LONG * learningRate);
  const breaking = longer >= AT_LEAST * learningRate ? longer : TOO_SHORT * learningRate;
  return ["learningRate", roundedSetting(breaking, 3)];
}
