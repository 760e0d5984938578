// What the address says of two runs side by side, so that a link leads to the same view where the same files are opened: "#/open?pair".
import type { GroupRecord, TrajectoryRecord } from "../../../protocol/records.ts";
import { PAIR_SHOWS, type PairQuery, type PairStep } from "../../../protocol/rollouts/runPair.ts";
import { decode, encode, flag, index, oneOf, type Param, type PlaceOf, whole, word } from "../../engine/address/params.ts";
import { hashOf, replaceQuery } from "../../engine/route.ts";

/** Which of a prompt's answers is shown: the one with the best reward, with the worst, or one by its place. */
export type PickedAnswer = "best" | "worst" | number;

const stepOf = (name: string): Param<PairStep | null> => ({
  name,
  otherwise: null,
  read: (text) => (text === "last" ? text : whole(name).read(text, [text])),
  write: (step) => (step === null ? null : String(step)),
});

const answerOf = (name: string): Param<PickedAnswer> => ({
  name,
  otherwise: "best",
  read: (text) => (text === "best" || text === "worst" ? text : index(name, null).read(text, [text])),
  write: (picked) => (picked === "best" ? null : picked === "worst" ? picked : String(picked + 1)),
});

const PAIR = {
  isShown: flag("pair"),
  left: word("left"),
  right: word("right"),
  leftStep: stepOf("step"),
  rightStep: stepOf("against"),
  show: oneOf("show", PAIR_SHOWS, "both"),
  text: word("find"),
  page: whole("page"),
  /** The measure whose difference sorts, with "-" before it where the largest rise comes first. */
  sort: word("sort"),
  prompt: word("prompt"),
  leftAnswer: answerOf("answer"),
  rightAnswer: answerOf("other"),
};
export type PairPlace = PlaceOf<typeof PAIR>;

export const pairPlaceIn = (query: URLSearchParams): PairPlace => decode(PAIR, query);

/** The hash of two runs side by side. */
export const pairHash = (place: Partial<PairPlace> = {}): string => hashOf("open", encode(PAIR, { ...place, isShown: true }));

export const replacePair = (place: PairPlace): void => replaceQuery("open", encode(PAIR, place));

/** Prompts of one page. */
export const PAGE = 25;

/** What the engine is asked for a place. */
export function pairQueryOf({ left, right, leftStep, rightStep, show, text, sort, page, prompt }: PairPlace): PairQuery {
  return {
    left,
    right,
    leftStep,
    rightStep,
    show,
    text: text ?? "",
    chosen: prompt,
    measure: sort === null ? null : sort.replace(/^-/, ""),
    isDescending: sort === null || sort.startsWith("-"),
    from: ((page ?? 1) - 1) * PAGE,
    count: PAGE,
  };
}

/** An answer with where it lies in its run. */
export interface PlacedAnswer {
  readonly group: GroupRecord;
  readonly trajectoryIndex: number;
  readonly trajectory: TrajectoryRecord;
}

/** All answers of the groups, which are one prompt's. */
export const answersOf = (groups: readonly GroupRecord[]): readonly PlacedAnswer[] =>
  groups.flatMap((group) => group.trajectories.map((trajectory, trajectoryIndex) => ({ group, trajectoryIndex, trajectory })));

/**
 * The place of the answer that is meant; the first of several that are as good, and of those that nobody scored. Null
 * where there is none.
 */
export function placeOfPicked(answers: readonly PlacedAnswer[], picked: PickedAnswer): number | null {
  if (answers.length === 0) return null;
  if (typeof picked === "number") return Math.min(picked, answers.length - 1);
  const sign = picked === "best" ? 1 : -1;
  const score = ({ trajectory: { reward } }: PlacedAnswer) => (reward === null ? Number.NEGATIVE_INFINITY : sign * reward);
  return answers.reduce((best, answer, at) => (score(answer) > score(answers[best]!) ? at : best), 0);
}
