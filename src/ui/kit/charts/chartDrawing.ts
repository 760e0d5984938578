// A drawn chart as plain shapes, with its title above and the run that it is of below: those of the plot are read with the styles
// and fonts that the page shows.
import type { PlotRect } from "./plot/plotModel.ts";

export interface PictureWords {
  readonly title: string;
  /** The run with the settings that make it; as many lines as it takes. */
  readonly caption: string;
  readonly rect: PlotRect;
}

export interface Picture extends PictureWords {
  readonly background: string;
  readonly ink: string;
  readonly soft: string;
  readonly font: string;
}

export interface Path {
  readonly kind: "path";
  readonly d: string;
  readonly fill: string;
  readonly fillOpacity: number;
  readonly stroke: string;
  readonly strokeOpacity: number;
  readonly strokeWidth: number;
  readonly dashes: readonly number[];
  /** Whether what leaves the axes is cut off. */
  readonly isClipped: boolean;
}

export interface Text {
  readonly kind: "text";
  readonly x: number;
  readonly y: number;
  /** Which of its ends x is, and the room it takes, null for any: whoever opens the file may have wider fonts. */
  readonly anchor: "start" | "middle" | "end";
  readonly length: number | null;
  readonly text: string;
  readonly fill: string;
  /** Drawn around the letters, so that lines behind them do not disturb; null for none. */
  readonly halo: { readonly stroke: string; readonly width: number } | null;
  readonly weight: string;
  readonly size: number;
  readonly font: string;
}

type Shape = Path | Text;

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

export const TITLE_HEIGHT = 36;
const PAD = 12;
const TITLE_SIZE = 15;
const CAPTION_SIZE = 12;
const CAPTION_LINE = 17;
/** Letters of the caption are about as wide as half their size. */
const LETTER = CAPTION_SIZE * 0.52;

function outline(shape: SVGGraphicsElement): string | null {
  if (shape instanceof SVGPathElement) return shape.getAttribute("d");
  if (shape instanceof SVGLineElement)
    return `M${shape.x1.baseVal.value} ${shape.y1.baseVal.value}L${shape.x2.baseVal.value} ${shape.y2.baseVal.value}`;
  if (!(shape instanceof SVGCircleElement)) return null;
  const x = shape.cx.baseVal.value;
  const y = shape.cy.baseVal.value;
  const r = shape.r.baseVal.value;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

function pathOf(shape: SVGGraphicsElement): Path | null {
  const style = getComputedStyle(shape);
  const d = outline(shape);
  if (!d || style.display === "none" || style.visibility === "hidden") return null;
  const opacity = Number(style.opacity);
  return {
    kind: "path",
    d,
    fill: shape instanceof SVGLineElement ? "none" : style.fill,
    fillOpacity: Number(style.fillOpacity) * opacity,
    stroke: style.stroke,
    strokeOpacity: Number(style.strokeOpacity) * opacity,
    strokeWidth: Number.parseFloat(style.strokeWidth) || 1,
    dashes: style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat),
    isClipped: shape.closest("[clip-path]") !== null,
  };
}

function textOf(shape: SVGTextElement): Text | null {
  const letters = shape.getNumberOfChars();
  if (letters === 0) return null;
  const style = getComputedStyle(shape);
  const { x: from, y } = shape.getStartPositionOfChar(0);
  const to = shape.getEndPositionOfChar(letters - 1).x;
  const anchor = style.textAnchor === "middle" || style.textAnchor === "end" ? style.textAnchor : "start";
  const x = { start: from, middle: (from + to) / 2, end: to }[anchor];
  return {
    kind: "text",
    x,
    y,
    anchor,
    length: to - from,
    text: shape.textContent ?? "",
    fill: style.fill,
    halo: style.stroke === "none" ? null : { stroke: style.stroke, width: Number.parseFloat(style.strokeWidth) },
    weight: style.fontWeight,
    size: Number.parseFloat(style.fontSize),
    font: style.fontFamily,
  };
}

/** Words in lines of so many letters. */
function linesOf(text: string, letters: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function moved(shape: Shape): Shape {
  return shape.kind === "text" ? { ...shape, y: shape.y + TITLE_HEIGHT } : shape;
}

/** The plot's shapes, with title and caption around them. Paths keep the plot's own place, below the title. */
export function drawingOf(svg: SVGSVGElement, { title, caption, ink, soft, font }: Picture): Drawing {
  const width = svg.clientWidth;
  const plotHeight = svg.clientHeight;
  const shapes = Array.from(svg.querySelectorAll<SVGGraphicsElement>("path, line, circle, text")).flatMap((shape) => {
    const read = shape instanceof SVGTextElement ? textOf(shape) : pathOf(shape);
    return read ? [moved(read)] : [];
  });
  const said = linesOf(caption, Math.floor((width - 2 * PAD) / LETTER));
  const line = (text: string, y: number, size: number, fill: string, weight: string): Text => ({
    kind: "text",
    x: PAD,
    y,
    anchor: "start",
    length: null,
    text,
    fill,
    halo: null,
    weight,
    size,
    font,
  });
  const below = TITLE_HEIGHT + plotHeight + CAPTION_LINE;
  return {
    width,
    height: below + CAPTION_LINE * Math.max(0, said.length - 1) + PAD,
    shapes: [
      line(title, 24, TITLE_SIZE, ink, "600"),
      ...shapes,
      ...said.map((text, i) => line(text, below + CAPTION_LINE * i, CAPTION_SIZE, soft, "400")),
    ],
  };
}
