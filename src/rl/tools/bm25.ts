// Ranks documents for a query as Okapi BM25 (Robertson and Walker 1994; parameters and the always positive
// inverse document frequency as in Lucene): the sum over query words of
//
//   ln(1 + (N - n + 0.5) / (n + 0.5)) · f (k1 + 1) / (f + k1 (1 - b + b · length / mean length))
//
// with N documents, n of which hold the word, f times in this one. Lucene 8 and later leave out the
// constant k1 + 1; the order is the same.
import { log } from "../exactMath.ts";

const K1 = 1.2;
const B = 0.75;

/** Words of a text: runs of letters and digits, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A document that a search has found, and how well it fits. */
export interface Ranked {
  /** Place among the documents. */
  readonly document: number;
  readonly score: number;
  /** The document's words that the query has too, each once. */
  readonly matched: readonly string[];
}

function countWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * The documents that share a word with the query, best first; of equal ones the earlier first. A word that comes twice
 * in the query counts twice.
 */
export function rankDocuments(documents: readonly string[], query: string): readonly Ranked[] {
  const counts = documents.map((text) => countWords(wordsOf(text)));
  const lengths = counts.map((words) => [...words.values()].reduce((sum, count) => sum + count, 0));
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length);
  const queried = wordsOf(query);
  const holders = (word: string) => counts.filter((words) => words.has(word)).length;
  const weights = new Map(
    [...new Set(queried)].map((word) => [word, log(1 + (documents.length - holders(word) + 0.5) / (holders(word) + 0.5))]),
  );
  const ranked = counts.map((words, document): Ranked => {
    let score = 0;
    for (const word of queried) {
      const f = words.get(word) ?? 0;
      score += (weights.get(word)! * f * (K1 + 1)) / (f + K1 * (1 - B + (B * lengths[document]!) / meanLength));
    }
    return { document, score, matched: [...weights.keys()].filter((word) => words.has(word)) };
  });
  return ranked.filter(({ matched }) => matched.length > 0).sort((x, y) => y.score - x.score || x.document - y.document);
}
