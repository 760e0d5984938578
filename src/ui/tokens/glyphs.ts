// How a token's text is shown: white space, control bytes and marks become visible glyphs.

export interface ShownPiece {
  readonly text: string;
  /** Glyphs stand for something invisible and are drawn lighter; marks are control tokens. */
  readonly kind: "text" | "glyph" | "mark";
  /** Draw a line break after the token. */
  readonly breaks: boolean;
  /** How a screen reader should say it. */
  readonly spoken: string;
}

const MARK = /^<\|?[\w/ ]+\|?>$/;

/** Space as ␣, line feed as ⏎, tab as ⇥, end-of-turn marks as their own name, the empty piece as ∅. */
export function showPiece(piece: string): ShownPiece {
  if (piece === "") return { text: "∅", kind: "glyph", breaks: false, spoken: "empty" };
  if (MARK.test(piece)) {
    const name = piece.replace(/^<\|?|\|?>$/g, "");
    const end = /end|eos|^\/?s$/.test(name);
    return { text: end ? `■ ${name}` : name, kind: "mark", breaks: false, spoken: `${name} mark` };
  }
  const text = piece.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥").replaceAll("\r", "␍");
  const spoken = piece.replaceAll(" ", " space ").replaceAll("\n", " line break ").replaceAll("\t", " tab ").trim();
  return { text, kind: /^[\s]+$/.test(piece) ? "glyph" : "text", breaks: piece.includes("\n"), spoken: spoken || "space" };
}
