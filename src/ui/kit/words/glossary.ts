// What the words on screen mean: one registry, which Term shows on hover, focus and press, and the screen Words lists. It
// loads when the first word is pointed at; what stands on the first screen has its few words from terms/tokenTerms.ts.
import { loopTerms } from "./terms/loopTerms.ts";
import { measureTerms } from "./terms/measureTerms.ts";
import { rewardTerms } from "./terms/rewardTerms.ts";
import { type GlossaryTerm, markTerms, tokenTerms } from "./terms/tokenTerms.ts";
import { updateTerms } from "./terms/updateTerms.ts";

/** The words by what they are about, in the order in which one meets them. */
export const GLOSSARY_GROUPS = [
  { title: "The policy and what it says", terms: loopTerms },
  { title: "Rewards, and what they are compared with", terms: rewardTerms },
  { title: "The update", terms: updateTerms },
  { title: "Numbers of one token", terms: tokenTerms },
  { title: "Runs, and how they are measured and compared", terms: measureTerms },
  { title: "Marks around messages", terms: markTerms },
] as const;

export const GLOSSARY = GLOSSARY_GROUPS.flatMap(({ terms }) => terms as readonly (typeof terms)[number][]);

export type TermId = (typeof GLOSSARY)[number]["id"];

const BY_ID: ReadonlyMap<string, GlossaryTerm> = new Map(GLOSSARY.map((entry) => [entry.id, entry]));

/** What a word means. */
export function glossaryTerm(id: TermId): GlossaryTerm {
  return BY_ID.get(id)!;
}

/** Whether a word as it is shown or what it means has all these letters, in any case; an empty text finds every word. */
export function foundTerm({ id, term, text, example = "" }: GlossaryTerm, typed: string): boolean {
  const all = `${id} ${term} ${text} ${example}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => all.includes(part));
}
