// Simulated experts to route questions to. Each has a domain that it knows well, a price for an answer,
// and for every single problem it is settled beforehand whether it knows that one.
import { hash32 } from "../../data/problems.ts";
import { Random } from "../../random.ts";

export const DOMAINS = ["sums", "towns", "words"] as const;
export type Domain = (typeof DOMAINS)[number];

export interface Expert {
  readonly name: string;
  readonly domain: Domain | "all";
  readonly price: number;
}

/** No name of theirs can come in a question, since a query that repeats it breaks the form. */
export const EXPERTS: readonly Expert[] = [
  { name: "Ada", domain: "sums", price: 1 },
  { name: "Ivy", domain: "towns", price: 1 },
  { name: "Cy", domain: "words", price: 1 },
  { name: "Max", domain: "all", price: 4 },
];

/** Share of the problems outside its domain that an expert knows all the same. */
const OUTSIDE = 0.1;

/** The expert of that name, in any case; null for an unknown one. */
export function expertNamed(name: string): Expert | null {
  return EXPERTS.find((expert) => expert.name.toLowerCase() === name.trim().toLowerCase()) ?? null;
}

/** What a problem is about, as far as experts are concerned. */
export interface Inquiry {
  /** Names the problem; settles who knows it. */
  readonly id: string;
  readonly domain: Domain;
  readonly answer: string;
}

/** Share of the problems of a domain that the expert knows. What specialists do not know, the generalist knows half of. */
function shareKnown(expert: Expert, domain: Domain, skill: number): number {
  if (expert.domain === "all") return (1 + skill) / 2;
  return expert.domain === domain ? skill : OUTSIDE;
}

/** Whether the expert knows this one. @param skill share of its domain's problems that a specialist knows, 0 to 1. */
export function knows(expert: Expert, inquiry: Inquiry, skill: number): boolean {
  return hash32(`knows/${expert.name}/${inquiry.id}`) / 2 ** 32 < shareKnown(expert, inquiry.domain, skill);
}

/** The same answer spoilt, always in the same way: a digit more or less, or two letters changed. */
function spoilt(answer: string, seed: string): string {
  const random = new Random(hash32(`spoilt/${seed}`));
  if (/^-?\d+$/.test(answer)) return String(Number(answer) + random.pick([-10, -1, 1, 10]));
  const letters = [...answer];
  const at = letters.findLastIndex((letter) => /[a-z]/.test(letter));
  letters[at] = letters[at] === "s" ? "t" : "s";
  return letters.join("");
}

/** What the expert says to the problem. */
export function adviceOf(expert: Expert, inquiry: Inquiry, skill: number): string {
  return knows(expert, inquiry, skill) ? inquiry.answer : spoilt(inquiry.answer, `${expert.name}/${inquiry.id}`);
}

/** The cheapest expert who knows the problem; null where nobody does. */
export function cheapestExpert(inquiry: Inquiry, skill: number): Expert | null {
  const able = EXPERTS.filter((expert) => knows(expert, inquiry, skill));
  return able.reduce<Expert | null>((best, expert) => (best === null || expert.price < best.price ? expert : best), null);
}
