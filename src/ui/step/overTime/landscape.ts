// The landscape of a decision: how likely each token is at each place of the answer, over the steps. Pure.
import type { Probed } from "../../../protocol/asked.ts";

/** Rows of a panel where the tokens listed at a place are many, and the probability that a token reaches at some step to have one. */
const MOST_ROWS = 10;
const LEAST_PROBABILITY = 0.001;

/** One place of the answer. */
export interface Panel {
  /** Place of the token, from 0. */
  readonly t: number;
  /** Tokens, top to bottom: by their text, of those that were ever somewhat likely. */
  readonly tokens: readonly number[];
  /** Probability of each token after each recorded step; null where it was not among those listed, or the answer had ended. */
  readonly probabilities_token_step: readonly (readonly (number | null)[])[];
  /** The token that was said after each recorded step; null where the answer had ended. */
  readonly said_step: readonly (number | null)[];
  /** Whether the answer after each recorded step had begun, up to here, as that of the step shown: other columns are of other choices. */
  readonly isSameChoice_step: readonly boolean[];
}

const byText = (pieces: Probed["pieces"]) => (a: number, b: number) =>
  (pieces[a] ?? "").localeCompare(pieces[b] ?? "", "en", { numeric: true }) || a - b;

function panelOf({ records, pieces }: Probed, prompt: number, t: number, shown: number): Panel {
  const begun_step = records.map(({ answers }) => (answers[prompt]?.tokens_T ?? []).slice(0, t).map(([said]) => said));
  const most = new Map<number, number>();
  const listed_step = records.map(({ answers }) => {
    const tokens = answers[prompt]?.tokens_T[t] ?? [];
    const logprobs = answers[prompt]?.logprobs_T[t] ?? [];
    const found = new Map(tokens.map((token, i) => [token, Math.exp(logprobs[i]!)]));
    for (const [token, p] of found) most.set(token, Math.max(p, most.get(token) ?? 0));
    return found;
  });
  const notable = [...most.keys()].filter((token) => most.get(token)! >= LEAST_PROBABILITY);
  const likeliest = notable.sort((a, b) => most.get(b)! - most.get(a)! || a - b).slice(0, MOST_ROWS);
  const tokens = likeliest.sort(byText(pieces));
  return {
    t,
    tokens,
    probabilities_token_step: tokens.map((token) => listed_step.map((found) => found.get(token) ?? null)),
    said_step: listed_step.map((found) => found.keys().next().value ?? null),
    isSameChoice_step: begun_step.map((begun) => begun.join() === begun_step[shown]?.join()),
  };
}

/** A panel for each of the first places of the answers to a prompt. @param shown place of the record that the others are held against */
export function landscape(probed: Probed, prompt: number, most: number, shown: number): readonly Panel[] {
  const places = longestAnswer(probed, prompt);
  return Array.from({ length: Math.min(places, most) }, (_, t) => panelOf(probed, prompt, t, shown));
}

/** Tokens of the longest of the answers to a prompt. */
export function longestAnswer({ records }: Pick<Probed, "records">, prompt: number): number {
  return records.reduce((longest, { answers }) => Math.max(longest, answers[prompt]?.tokens_T.length ?? 0), 0);
}

/** Share of the full colour for a probability: by its root, so that one in ten is told from nothing. */
export function shade(probability: number): number {
  return Math.sqrt(probability);
}
