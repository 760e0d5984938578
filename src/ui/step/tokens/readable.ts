// Tokens as text to read rather than to count: without the marks of a template and the roles they name, calls by their
// name and what they are given, and plain spaces between words. Where single tokens are looked at, showPiece draws them.
import { showPiece } from "./drawing.ts";

/** The mark before the name of a role. */
export const BEGINS_ROLE = /im_start/;

/**
 * A single space beside a word of two letters or more; between digits and signs spaces are part of the answer, and stay visible. The space
 * comes first, so that what stands before and after is looked at there alone.
 */
const BETWEEN_WORDS = /␣(?:(?<=\p{L}{2}[,.;:!?'")]*␣)(?=[^\s␣⏎⇥])|(?<=[^\s␣⏎⇥]␣)(?=["'(]*\p{L}{2}))/gu;

/** Shown text with plain spaces between its words; as long as it was. */
export function plainSpaces(shown: string): string {
  return shown.replaceAll(BETWEEN_WORDS, " ");
}

/** A call in JSON: its name, and what its first argument begins with up to the end of the call or of the text. */
const CALL =
  /\{[\s␣⏎]*"name":[\s␣⏎]*"([^"]*)",[\s␣⏎]*"arguments":[\s␣⏎]*\{[\s␣⏎]*"[^"]*":[\s␣⏎]*"?(.*?)(?:(?:"|(?<![\s␣⏎]))[\s␣⏎]*\}[\s␣⏎]*\}|$)/g;

/** Stands for the token under the cursor while the text around it is read; of the private use area, which no tokenizer of ours writes. */
const CURSOR = "\uE000";

/** What was said. A turn that follows another stands after an arrow. */
export function readableText(pieces: readonly string[]): string {
  const shown = pieces.map((piece, at) => {
    if (piece === CURSOR) return piece;
    if (BEGINS_ROLE.test(piece)) return " → ";
    return BEGINS_ROLE.test(pieces[at - 1] ?? "") || showPiece(piece).kind === "mark" ? " " : showPiece(piece).text;
  });
  const said = shown.join("").replaceAll(CALL, (_call, name: string, given: string) => `${name}: ${given.replaceAll("␣", " ")}`);
  // Line breaks of a template stand beside its marks.
  return plainSpaces(said.replaceAll(/(?<!⏎)(?:⏎* )+⏎*/g, " "));
}

/** The text before the token at the cursor, that token as it is drawn, and the text after it. */
export function readableAround(pieces: readonly string[], at: number): readonly [before: string, token: string, after: string] {
  const [before = "", after = ""] = readableText(pieces.map((piece, t) => (t === at ? CURSOR : piece))).split(CURSOR);
  return [before.trimStart(), showPiece(pieces[at] ?? "").text, after.trimEnd()];
}

/** Whether tokens carry more of a template than the mark that ends them, so that they are hard to read one by one. */
export function hasMarkup(pieces: readonly string[]): boolean {
  return pieces.slice(0, -1).some((piece) => showPiece(piece).kind === "mark");
}
