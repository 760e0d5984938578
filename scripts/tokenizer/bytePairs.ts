// Training of byte-level byte-pair encoding (Sennrich et al. 2016, section 3.2): the most frequent
// adjacent pair becomes a token, again and again. Ties go to the pair that sorts first, so the result
// depends on the text alone.
import { spellingOfBytes } from "../../src/model/renderers/tokenizer.ts";

/** How text is cut before merging: letters with a leading space, marks, single digits, blanks. Merges never cross a cut. */
export const PRE_TOKEN_PATTERN = " ?\\p{L}+| ?[^\\s\\p{L}\\p{N}]+|\\p{N}|\\s+(?!\\S)|\\s+";

interface Word {
  readonly count: number;
  symbols: readonly string[];
}

function wordsOf(texts: readonly string[]): Word[] {
  const counts = new Map<string, number>();
  const encoder = new TextEncoder();
  for (const text of texts) {
    for (const [preToken] of text.matchAll(new RegExp(PRE_TOKEN_PATTERN, "gu"))) {
      const spelling = spellingOfBytes(encoder.encode(preToken));
      counts.set(spelling, (counts.get(spelling) ?? 0) + 1);
    }
  }
  return [...counts].map(([spelling, count]) => ({ count, symbols: [...spelling] }));
}

function pairCounts(words: readonly Word[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let i = 0; i + 1 < symbols.length; i++) {
      const pair = `${symbols[i]} ${symbols[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  return counts;
}

function merged(symbols: readonly string[], left: string, right: string): readonly string[] {
  const result: string[] = [];
  for (const symbol of symbols) {
    if (symbol === right && result.at(-1) === left) result[result.length - 1] = left + right;
    else result.push(symbol);
  }
  return result;
}

/** The first `count` merges of the texts as "left right"; fewer when every pre-token has become one token. */
export function learnMerges(texts: readonly string[], count: number): readonly string[] {
  const words = wordsOf(texts);
  const merges: string[] = [];
  while (merges.length < count) {
    let best: readonly [string, number] | null = null;
    for (const [pair, frequency] of pairCounts(words)) {
      if (!best || frequency > best[1] || (frequency === best[1] && pair < best[0])) best = [pair, frequency];
    }
    if (!best) break;
    const [left = "", right = ""] = best[0].split(" ");
    merges.push(best[0]);
    for (const word of words) if (word.symbols.length > 1) word.symbols = merged(word.symbols, left, right);
  }
  return merges;
}
