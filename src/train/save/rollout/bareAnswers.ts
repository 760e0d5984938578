// A step in less room: some of its answers stay whole, and of the others only what they earned and how long they were. That is what the
// advantages and the objective of the whole ones are computed from, so every number of theirs comes out the same, to the bit.
import type { StepGroups } from "../../../protocol/messages.ts";
import type { TrajectoryRecord } from "../../../protocol/records.ts";

/** The answer that somebody looks at. */
export interface ShownAnswer {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
}

/** What of its step stays whole: all answers, those to the same prompt, or it alone. */
export const AMOUNTS = ["answer", "group", "step"] as const;
export type Amount = (typeof AMOUNTS)[number];

function bareAnswer(answer: TrajectoryRecord, keepsEntropies: boolean): TrajectoryRecord {
  const { tokens, rewardParts, report, channels, prompt: _, opening: __, alternatives: ___, ...said } = answer;
  const none = tokens.map(() => 0);
  const unless = (values: readonly number[] | null) => values && none;
  return {
    ...said,
    tokens: none,
    pieces: tokens.map(() => ""),
    text: "",
    messages: [],
    isBare: true,
    rewardParts: rewardParts.map(({ reason: ____, judged: _____, ...part }) => part),
    // Whose turn it was and what it earned is part of the advantages.
    ...(report ? { report: { metrics: {}, turns: report.turns.map(({ calls: ______, views: _______, ...turn }) => turn) } } : {}),
    channels: {
      oldLogprobs: none,
      trainLogprobs: none,
      newLogprobs: unless(channels.newLogprobs),
      refLogprobs: unless(channels.refLogprobs),
      sampledEntropies: keepsEntropies ? channels.sampledEntropies : unless(channels.sampledEntropies),
      trainEntropies: unless(channels.trainEntropies),
      values: unless(channels.values),
      advantages: channels.advantages,
      lossWeights: none,
      mask: channels.mask,
      ...(channels.tdErrors ? { tdErrors: none } : {}),
    },
  };
}

/** A step of which so much stays whole around an answer. */
export function withBareAnswers(step: StepGroups, { promptIndex, trajectoryIndex }: ShownAnswer, amount: Amount): StepGroups {
  if (amount === "step") return step;
  // Which tokens are trained may hang on the entropies of all of them.
  const keepsEntropies = step.config.topEntropyQuantile < 1;
  return {
    ...step,
    groups: step.groups.map((group) => {
      const isShown = group.promptIndex === promptIndex;
      const trajectories = group.trajectories.map((each, member) =>
        isShown && (amount === "group" || member === trajectoryIndex) ? each : bareAnswer(each, keepsEntropies),
      );
      return isShown ? { ...group, trajectories } : { ...group, trajectories, messages: [], promptTokens: [], promptPieces: [] };
    }),
  };
}
