// What the drawings of tokens on a canvas share: sharp pixels, the page's colours, and the hatch of
// tokens that are not trained.
import { type RefObject, useEffect, useRef } from "react";
import { useTheme } from "../store/themeStore.ts";

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
  const theme = useTheme((facts) => facts.resolved);
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
