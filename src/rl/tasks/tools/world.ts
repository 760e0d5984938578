// A generated world of companies, people, towns and lands, and the short documents that describe it. A
// question follows a chain of two to four facts through it, each found only by the name before it.
import { makeNames } from "../../data/names.ts";
import { Random } from "../../random.ts";

/** A fact about a thing of one kind, and the words for it. */
interface Relation {
  /** Its words between the two names. */
  readonly words: string;
  /** What to search for, with the name it is about. */
  readonly query: (name: string) => string;
}

/** Relations of the chain, first to last: company, founder, birthplace, land, ruler. */
const CHAIN: readonly Relation[] = [
  { words: "was founded by", query: (name) => `${name} founded` },
  { words: "was born in", query: (name) => `${name} born` },
  { words: "is in", query: (name) => `${name} is in` },
  { words: "is ruled by", query: (name) => `${name} ruled` },
];

/** What else is told of things along the chain: true, and of no use. */
const ASIDES: readonly string[] = ["was sold to", "lives in", "is near", "trades with"];

const QUESTIONS: Readonly<Record<number, (company: string) => string>> = {
  2: (company) => `Where was the founder of ${company} born?`,
  3: (company) => `In which land was the founder of ${company} born?`,
  4: (company) => `Who rules the land in which the founder of ${company} was born?`,
};

export interface World {
  readonly question: string;
  readonly answer: string;
  readonly documents: readonly string[];
  /** Names along the chain, the company first and the answer last. */
  readonly chain: readonly string[];
  /** The searches that lead from name to name. */
  readonly queries: readonly string[];
}

/** Chains that are told beside the one asked about. */
const DISTRACTING_CHAINS = 2;

/** The world of a seed. @param hops facts from the company to the answer, 2 to 4. */
export function makeWorld(seed: number, hops: number): World {
  const random = new Random(seed);
  const names = makeNames((1 + DISTRACTING_CHAINS) * (CHAIN.length + 1) + 2 * hops, random);
  const chains = Array.from({ length: 1 + DISTRACTING_CHAINS }, (_, c) =>
    names.slice(c * (CHAIN.length + 1), c * (CHAIN.length + 1) + hops + 1),
  );
  const spare = names.slice((1 + DISTRACTING_CHAINS) * (CHAIN.length + 1));
  const told = chains.flatMap((chain) => chain.slice(1).map((name, i) => `${chain[i]} ${CHAIN[i]!.words} ${name}.`));
  // Every name of the chain asked about has an aside, and so has one of another chain.
  const asides = [0, 1].flatMap((c) => Array.from({ length: hops }, (_, i) => `${chains[c]![i]} ${ASIDES[i]} ${spare[c * hops + i]}.`));
  const chain = chains[0]!;
  return {
    question: QUESTIONS[hops]!(chain[0]!),
    answer: chain[hops]!,
    documents: random.shuffled([...told, ...asides]),
    chain,
    queries: chain.slice(0, hops).map((name, i) => CHAIN[i]!.query(name)),
  };
}
