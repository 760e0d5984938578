// Text cut into words where no tokens are there, so that answers can be looked at place by place; joined they are the text.

/** Longest word: what has no blanks would be one piece as wide as the page. */
const MOST_SIGNS = 32;

const isBlank = (code: number) =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x2028 || code === 0x2029 || code === 0x3000;
/** Kana, Han and Hangul are written without blanks. */
const standsAlone = (code: number) =>
  (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af);
const isSecondHalf = (code: number) => code >= 0xdc00 && code <= 0xdfff;

/** Where the word that begins at a place ends, the blanks before it included. */
function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  if (at < text.length && standsAlone(text.charCodeAt(at))) return at + 1;
  const most = at + MOST_SIGNS;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Nearly all signs are these, and one comparison settles them.
    const isPlain = code > 32 && code < 160;
    if (!isPlain && (isBlank(code) || standsAlone(code))) break;
    if (at >= most && !isSecondHalf(code)) break;
  }
  return at;
}

/** The words of a text; joined they are it. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfWord(text, from);
    words.push(text.slice(from, end));
    from = end;
  }
  return words;
}

/** Signs of one byte: 1 where a word goes on. */
const GOES_ON = Uint8Array.from({ length: 256 }, (_, code) => (isBlank(code) ? 0 : 1));

/** How many words a text is cut into: without branches for a gigabyte of letters, and by cutting where signs stand alone or are halves. */
export function countWords(text: string): number {
  let count = 0;
  /** How long the word is that goes on. */
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 255 && (standsAlone(code) || (code >= 0xd800 && code <= 0xdfff))) return wordsOf(text).length;
    run = code < 256 ? (run + 1) * GOES_ON[code]! : isBlank(code) ? 0 : run + 1;
    count += Number(run % MOST_SIGNS === 1);
  }
  // Blanks at the end are a word by themselves.
  return run === 0 && text.length > 0 ? count + 1 : count;
}
