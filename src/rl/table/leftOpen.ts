// What an answer had opened and not closed when it ended: the brace of a \boxed, a thought, an answer, a call, a block
// of code. A text tells so of itself that it was cut off, also where no file says why it ended.

const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ...["think", "thinking", "answer", "tool_call", "code", "solution", "search"].map((name) => [`<${name}>`, `</${name}>`] as const),
  ["\\begin{", "\\end{"],
  ["\\[", "\\]"],
];
const BOXED = "\\boxed{";
const BLOCK = "```";

/** Whether the brace that opens there is closed. */
function closes(text: string, from: number): boolean {
  let depth = 1;
  for (let at = from; at < text.length && depth > 0; at++) {
    const sign = text[at];
    if (sign === "\\") at += 1;
    else if (sign === "{") depth += 1;
    else if (sign === "}") depth -= 1;
  }
  return depth === 0;
}

/** The last mark that is open at the end of a text: "\boxed{", "<think>", "```"; null where none is. */
export function leftOpen(text: string): string | null {
  // A search from the front is the faster one, and most texts have none of a mark.
  const lastOf = (mark: string) => (text.includes(mark) ? text.lastIndexOf(mark) : -1);
  const boxed = lastOf(BOXED);
  const found: (readonly [at: number, mark: string])[] = boxed >= 0 && !closes(text, boxed + BOXED.length) ? [[boxed, BOXED]] : [];
  for (const [open, close] of PAIRS) {
    const at = lastOf(open);
    if (at >= 0 && text.lastIndexOf(close) < at) found.push([at, open]);
  }
  const block = lastOf(BLOCK);
  if (block >= 0 && text.split(BLOCK).length % 2 === 0) found.push([block, BLOCK]);
  return found.reduce<readonly [number, string | null]>((last, each) => (each[0] > last[0] ? each : last), [-1, null])[1];
}
