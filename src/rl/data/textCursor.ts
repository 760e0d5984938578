// A place in a text that is read from left to right: what the small parsers share, of answers, expressions, tables and patterns.

/** Owned state: the place. */
export class TextCursor {
  at: number;
  readonly text: string;
  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  /** Whether these signs stand here; they are taken then. */
  take(signs: string): boolean {
    const isHere = this.text.startsWith(signs, this.at);
    if (isHere) this.at += signs.length;
    return isHere;
  }

  /** What a sticky pattern finds here, which is taken. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found;
  }

  /** Whether a sticky pattern finds something here; the place stays. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }
}
