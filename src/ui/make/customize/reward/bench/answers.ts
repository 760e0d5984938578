// Typed answers on the bench: those that must earn something are the reward's cases, which are kept with it and tried
// before every start; the others are tried here alone and last as long as the page.
import type { CustomReward, JudgedAnswer, RewardCase, RewardVerdict } from "../../../../../protocol/config/customRewards.ts";
import { engine } from "../../../../engine/client.ts";

/** An answer in the table, and what it must earn: null where it is only tried. */
export interface BenchAnswer extends JudgedAnswer {
  readonly earns: RewardCase["earns"] | null;
}

const FIRST: readonly JudgedAnswer[] = [{ question: "", answer: "", text: "42" }];
const MOST = 64;

/** The rows of a reward's table: its cases, then what is only tried. */
export function benchAnswers(cases: readonly RewardCase[], tries: readonly JudgedAnswer[] | undefined): readonly BenchAnswer[] {
  return [...cases, ...(tries ?? FIRST).map((each) => ({ ...each, earns: null }))].slice(0, MOST);
}

/** Rows as cases to be kept and answers to be tried. */
export function splitAnswers(rows: readonly BenchAnswer[]): {
  readonly cases: readonly RewardCase[];
  readonly tries: readonly JudgedAnswer[];
} {
  const cases = rows.flatMap(({ earns, ...answer }) => (earns === null ? [] : [{ ...answer, earns }]));
  const tries = rows.flatMap(({ earns, ...answer }) => (earns === null ? [answer] : []));
  return { cases, tries };
}

/** What a row's field of demands says: a number, two with "to" between, or nothing; undefined where it is none of these. */
export function readDemand(text: string): BenchAnswer["earns"] | undefined {
  if (text.trim() === "") return null;
  const [min = Number.NaN, max, ...rest] = text.split(/\s*(?:to|–)\s*/).map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (rest.length > 0 || !Number.isFinite(min)) return undefined;
  if (max === undefined) return min;
  return Number.isFinite(max) && min <= max ? { min, max } : undefined;
}

export function demandText(earns: BenchAnswer["earns"]): string {
  if (earns === null) return "";
  return typeof earns === "number" ? String(earns) : `${earns.min} to ${earns.max}`;
}

/** What the reward gives to the rows, one for each. */
export async function verdictsOf(reward: CustomReward, rows: readonly BenchAnswer[], seed: number): Promise<readonly RewardVerdict[]> {
  const answers = rows.map(({ question, answer, text }) => ({ question, answer, text }));
  return (await engine.request({ type: "try-reward", reward: { ...reward, cases: [] }, answers, seed })).verdicts;
}
