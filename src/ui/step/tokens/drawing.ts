// What the drawings of tokens share: a text in which white space, control bytes and marks are visible glyphs, and on a
// canvas sharp pixels, the page's colours, and the hatch of tokens that are not trained.
import { type RefObject, useEffect, useRef } from "react";
import { usePreferences } from "../../kit/remembered.ts";

/** Colours of the page: hairlines, stronger lines, and the mark of what is selected. */
export interface Ink {
  readonly rule: string;
  readonly mark: string;
  readonly accent: string;
}

/** A canvas of this size in CSS pixels, drawn again when the drawing, the size or the theme changes. */
export function useDrawing(
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D, ink: Ink) => void,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = usePreferences((facts) => facts.resolved);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || width === 0) return;
    const scale = window.devicePixelRatio || 1;
    element.width = Math.round(width * scale);
    element.height = Math.round(height * scale);
    context.scale(scale, scale);
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name);
    draw(context, { rule: colour("--rule"), mark: colour("--rule-strong"), accent: colour("--accent") });
  }, [draw, width, height, theme]);
  return canvas;
}

/** Slanted lines over a box. */
export function hatch(context: CanvasRenderingContext2D, x: number, top: number, width: number, height: number, colour: string): void {
  context.strokeStyle = colour;
  context.beginPath();
  for (let y = top + 4; y <= top + height; y += 5) {
    context.moveTo(x, y);
    context.lineTo(x + width, y - 4);
  }
  context.stroke();
}

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
