// What Customize shows as long as the page is open: which reward and which judge, the answers that rewards are tried with, the first step
// of a run that was tried, what is kept in the library, and what is being brought as data.
import { create } from "zustand";
import type { JudgedAnswer } from "../../../protocol/config/customRewards.ts";
import type { SeenData } from "../../../protocol/custom/dataReading.ts";
import type { TriedStep } from "../../../protocol/custom/tried.ts";
import type { EventBodies } from "../../../protocol/messages.ts";
import type { FirstStep } from "../../../rl/diagnosis/firstStep.ts";
import type { HubSplit } from "./data/hubRows.ts";
import type { KeptThing } from "./library/libraryDatabase.ts";

/** The first step of a run that is tried before it starts, or was last. */
interface TriedFirst {
  /** What of its configuration decides the answers and what they earn; "" for none. */
  readonly of: string;
  /** How far it is; null where none goes on. */
  readonly going: EventBodies["asking"] | null;
  readonly tried: { readonly step: TriedStep; readonly judged: FirstStep } | null;
  readonly problem: string | null;
}

export interface LibraryFacts {
  /** Null before it is known. */
  readonly things: readonly KeptThing[] | null;
  /** What was deleted and can be brought back, newest first. */
  readonly deleted: readonly KeptThing[];
  /** The thing that is open in the list, as kind/name. */
  readonly open: string | null;
  readonly said: string | null;
  readonly problem: string | null;
}

/** A file or a data set that was read, before it is a task's. */
export interface DataFacts {
  /** What people call what was read. */
  readonly name: string;
  readonly seen: SeenData | null;
  /** The parts of the data set that was asked for. */
  readonly splits: readonly HubSplit[];
  readonly work: string | null;
  readonly problem: string | null;
  /** What is to be said of rows that were taken last. */
  readonly notes: readonly string[];
}

interface CustomizeFacts {
  /** The reward whose code is open, by name; the first where there is none of that name. */
  readonly reward: string | null;
  /** Why a reward's file was not opened. */
  readonly refusal: string | null;
  /** The judge that is open, in the same way. */
  readonly judge: string | null;
  /** Answers without a demand on the bench, by the name of the reward. */
  readonly tries: Readonly<Record<string, readonly JudgedAnswer[]>>;
  readonly first: TriedFirst;
  readonly library: LibraryFacts;
  readonly data: DataFacts;
}

export const NO_DATA: DataFacts = { name: "", seen: null, splits: [], work: null, problem: null, notes: [] };

export const useCustomize = create<CustomizeFacts>()(() => ({
  reward: null,
  refusal: null,
  judge: null,
  tries: {},
  first: { of: "", going: null, tried: null, problem: null },
  library: { things: null, deleted: [], open: null, said: null, problem: null },
  data: NO_DATA,
}));

export function openReward(reward: string): void {
  useCustomize.setState({ reward });
}

export function openJudge(judge: string): void {
  useCustomize.setState({ judge });
}

/** Puts answers on the bench of a reward. */
export function putTries(reward: string, answers: readonly JudgedAnswer[]): void {
  useCustomize.setState(({ tries }) => ({ tries: { ...tries, [reward]: answers } }));
}

/** Says why a reward's file was not opened; null where it was. */
export function refuseReward(refusal: string | null): void {
  useCustomize.setState({ refusal });
}

/** Says how far the trying of a first step is, and what came of it. */
export function noteFirst(change: Partial<TriedFirst>): void {
  useCustomize.setState(({ first }) => ({ first: { ...first, ...change } }));
}

export function changeLibraryFacts(change: Partial<LibraryFacts>): void {
  useCustomize.setState(({ library }) => ({ library: { ...library, ...change } }));
}

export function changeData(change: Partial<DataFacts>): void {
  useCustomize.setState(({ data }) => ({ data: { ...data, ...change } }));
}

export const useTriedFirst = (): TriedFirst => useCustomize((facts) => facts.first);
