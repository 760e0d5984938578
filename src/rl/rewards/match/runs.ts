// Numbers as they stand in prose. Signs that belong together ("2 2/3", "x^2 + 1", "17 or 18", "2 hours 30 minutes") are one
// run, so that no part of a longer expression is ever taken for the number that was meant.
import { isMultiple, isUnit } from "./unit.ts";

/** Text between blanks that stand outside braces, without the quotes and marks around it. */
interface Chunk {
  readonly text: string;
  readonly kind: "number" | "sign" | "letter" | "word";
  /** What ends behind it. */
  readonly ends: "" | "clause" | "sentence";
  /** Whether it ends in a single !, which may also be a factorial. */
  readonly isLoud: boolean;
}

/** An expression with the words around it, up to the ends of its clause. */
export interface Run {
  readonly text: string;
  readonly isLoud: boolean;
  /** Up to three words before it, and up to five behind. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Whether nothing stands before it, and whether a list goes on behind it. */
  readonly isFirst: boolean;
  readonly isListed: boolean;
}

/** What stands between blanks, those in braces left out, and those in brackets without words. */
const PIECE = /(?:\\.|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[([](?:\\[a-zA-Z]+|\([^()[\]]*\)|(?![a-zA-Z]{2})[^()[\]]){0,60}[)\]]|\S)+/g;
/** A longer one is no number. */
const MAX_LENGTH = 256;
const QUOTES = /^(?:["'“”‘’_`]|\*\*)+/;
const MARKS = /(?:[.,;:!?…"'“”’_`]|\*\*)+$/;
const KINDS: readonly (readonly [RegExp, Chunk["kind"]])[] = [
  [/[\d%°½⅓⅔¼¾⅕-⅚⅛-⅞√π∞]|\\[a-zA-Z]/, "number"],
  [/^[-+*/×·÷^=!<>≤≥≈≠±|()[\]{}$€£¥:,&\u2212\u2012-\u2014]*$/, "sign"],
  [/^\$?[b-zB-HJ-Z]\$?$/, "letter"],
];
/** Words that make one expression of the numbers on both sides. */
const JOINS = new Set("and or to plus minus times over by of out than less more divided multiplied raised the power remainder".split(" "));
/** Signs at the ends of a run that are no part of it: dashes and bullets, and what an equation leaves open. */
const LOOSE = /^[-*=:,&\u2012-\u2014]*$/;

/** Longest remark, in pieces. */
const MAX_REMARK = 20;

const count = (text: string, sign: string): number => text.split(sign).length - 1;

function chunkOf(piece: string, isLast: boolean): Chunk {
  if (piece.length > MAX_LENGTH) return { text: piece, kind: "number", ends: isLast ? "sentence" : "", isLoud: false };
  let text = piece.replace(QUOTES, "");
  let marks = "";
  for (let before = ""; before !== text; ) {
    before = text;
    const found = text === ":" ? "" : (MARKS.exec(text)?.[0] ?? "");
    marks = found + marks;
    text = text.slice(0, text.length - found.length).replace(/^\*([^*]+)\*$/, "$1");
    if (text.startsWith("(") && count(text, "(") > count(text, ")")) text = text.slice(1);
    if (text.endsWith(")") && count(text, ")") > count(text, "(")) text = text.slice(0, -1);
  }
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? "word";
  const ends = isLast || /[.!?…]/.test(marks) ? "sentence" : /[,;:]/.test(marks) ? "clause" : "";
  return { text, kind, ends, isLoud: /^!(?!!)/.test(marks) };
}

/** How many pieces a remark in brackets takes, which says something in words about the number before it; 0 where none begins. */
function remarkLength(pieces: readonly string[]): number {
  if (!pieces[0]?.startsWith("(")) return 0;
  let open = 0;
  const end = pieces.findIndex((piece) => {
    open += count(piece, "(") - count(piece, ")");
    return open <= 0;
  });
  const inside = pieces.slice(0, end < 0 ? undefined : end + 1);
  return inside.some((piece) => /^\(?[a-zA-Z]{2,}\W*$|=/.test(piece)) ? inside.length : 0;
}

function chunksOf(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  // \( \) \[ \] say that mathematics begins or ends; \\[2pt] is none of them. <<6*7=42>> is a note of GSM8K's for a calculator.
  // A dash between words ends a clause; between numbers it may be a sign.
  const plain = text.replace(/<<[^<>\n]*>>/g, "").replace(/ ?—(?! ?\d) ?/g, ", ");
  for (const line of plain.replace(/(\\\\)|\\[()[\]]/g, (_, row?: string) => row ?? " ").split("\n")) {
    const pieces = line.match(PIECE) ?? [];
    let remarks = 0;
    for (const [i, piece] of pieces.entries()) {
      const before = chunks.at(-1);
      if (i > 0 && remarks === 0 && before?.kind === "number" && before.ends === "")
        remarks = remarkLength(pieces.slice(i, i + MAX_REMARK));
      const chunk = chunkOf(piece, i === pieces.length - 1);
      // "2)" before an entry of a list counts entries.
      const isCount = i === 0 && pieces.length > 1 && /^\d+\)$/.test(piece);
      chunks.push(remarks > 0 || isCount ? { ...chunk, kind: "word" } : chunk);
      remarks = Math.max(0, remarks - 1);
    }
  }
  return chunks;
}

const isWord = (chunk: Chunk | undefined, words: (word: string) => boolean) => chunk?.kind === "word" && words(chunk.text.toLowerCase());
const isMinus = (word: string) => word === "minus" || word === "negative";

/** The next place that belongs to the run which has come to place k, or k where it ends. */
function nextPlace(chunks: readonly Chunk[], k: number): number {
  const here = chunks[k]!;
  const next = chunks[k + 1];
  if (here.ends !== "" || !next) return k;
  if (next.kind === "number" || next.kind === "sign") return k + 1;
  if (next.kind === "letter")
    return here.kind === "sign" || next.ends !== "" || ["sign", "number"].includes(chunks[k + 2]?.kind ?? "") ? k + 1 : k;
  if (here.kind !== "number") return k;
  let m = k + 1;
  let units = 0;
  for (; chunks[m]?.ends === "" && isWord(chunks[m], (word) => JOINS.has(word) || isMultiple(word) || isUnit(word)); m++)
    units += isWord(chunks[m], isUnit) ? 1 : 0;
  const isJoined = units === 0 ? m > k + 1 && chunks[m] !== undefined && chunks[m]!.kind !== "word" : chunks[m]?.kind === "number";
  // "6 feet 2" and "5 cm by 6 cm", not "5 cm or 3 of them".
  return isJoined && (units === 0 || m === k + 2 || isWord(chunks[m + 1], isUnit)) ? m : k;
}

function wordsFrom(chunks: readonly Chunk[], from: number): readonly string[] {
  const words: string[] = [];
  for (let i = from; words.length < 5 && chunks[i]?.kind === "word" && (i === from || chunks[i - 1]!.ends === ""); i++)
    words.push(chunks[i]!.text);
  return words.map((word) => word.toLowerCase());
}

function wordsBefore(chunks: readonly Chunk[], from: number): readonly string[] {
  let i = from;
  while (i > 0 && from - i < 3 && chunks[i - 1]!.kind === "word" && chunks[i - 1]!.ends === "") i--;
  return chunks.slice(i, from).map(({ text }) => text.toLowerCase());
}

function runOf(chunks: readonly Chunk[], from: number, to: number): Run {
  const before = wordsBefore(chunks, from);
  let first = from;
  let last = to;
  const isSign = (i: number) => chunks[i]!.kind === "sign" && LOOSE.test(chunks[i]!.text);
  // "is - 5" is a number with its sign, "- 5" in a line of its own one of a list.
  while (first < last && isSign(first) && !(first === from && /^[-\u2212]$/.test(chunks[first]!.text) && before.length > 0)) first++;
  while (last > first && isSign(last)) last--;
  const { ends, isLoud } = chunks[to]!;
  const next = chunks[to + 1];
  return {
    text: chunks
      .slice(first, last + 1)
      .map(({ text }) => text)
      .join(" "),
    isLoud,
    before,
    after: ends === "" ? wordsFrom(chunks, to + 1) : [],
    isFirst: from === 0,
    isListed: ends === "clause" && next !== undefined && (next.kind !== "word" || /^(?:and|or)$/i.test(next.text)),
  };
}

/** The runs of a text that hold a number, in their order. */
export function runsOf(text: string): readonly Run[] {
  const chunks = chunksOf(text);
  const runs: Run[] = [];
  for (let from = 0; from < chunks.length; from++) {
    const { kind } = chunks[from]!;
    const isStart = kind === "letter" ? chunks[from + 1]?.kind === "sign" : kind !== "word" || isWord(chunks[from], isMinus);
    if (!isStart) continue;
    let to = from;
    for (let next = nextPlace(chunks, to); next > to; next = nextPlace(chunks, to)) to = next;
    if (chunks.slice(from, to + 1).some((chunk) => chunk.kind === "number")) runs.push(runOf(chunks, from, to));
    from = to;
  }
  return runs;
}
