// The lines of a text with the places where they lie in it: what forms of one line a step, and tables, are found by.

export interface Line {
  readonly begin: number;
  /** After its last character, before the line's end. */
  readonly end: number;
  readonly line: string;
}

export function lines(text: string): readonly Line[] {
  const found: Line[] = [];
  let begin = 0;
  for (const line of text.split("\n")) {
    found.push({ begin, end: begin + line.length, line });
    begin += line.length + 1;
  }
  return found;
}

/** A name as it can head a column: it begins with a letter. */
export const isName = (cell: string): boolean => /^\s*_?[A-Za-z]/.test(cell) && cell.length < 200;
