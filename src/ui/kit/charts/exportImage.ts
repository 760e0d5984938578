// Saves a drawn chart as PNG or SVG, with its title above and the run that it is of below. The shapes of the plot are
// read with the styles and fonts that the page shows, and written as a file of their own or drawn onto a canvas: an SVG
// loaded as an image could not see the page's fonts.
import { saveFile } from "../files.ts";
import type { PlotRect } from "./plot/plotModel.ts";

interface PictureWords {
  readonly title: string;
  /** The run with the settings that make it; as many lines as it takes. */
  readonly caption: string;
  readonly rect: PlotRect;
}

interface Picture extends PictureWords {
  readonly background: string;
  readonly ink: string;
  readonly soft: string;
  readonly font: string;
}

interface Path {
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

interface Text {
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

const TITLE_HEIGHT = 36;
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
function drawingOf(svg: SVGSVGElement, { title, caption, ink, soft, font }: Picture): Drawing {
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

const MARKS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => MARKS[mark]!);
const short = (value: number) => String(Number(value.toFixed(2)));

function writtenPath({ d, fill, fillOpacity, stroke, strokeOpacity, strokeWidth, dashes, isClipped }: Path): string {
  const filled = fill === "none" ? "" : ` fill-opacity="${short(fillOpacity)}"`;
  const dashed = dashes.length > 0 ? ` stroke-dasharray="${dashes.join(" ")}"` : "";
  const drawn =
    stroke === "none" ? "" : ` stroke="${escaped(stroke)}" stroke-opacity="${short(strokeOpacity)}" stroke-width="${strokeWidth}"${dashed}`;
  return `<path transform="translate(0 ${TITLE_HEIGHT})" d="${d}" fill="${escaped(fill)}"${filled}${drawn} stroke-linejoin="round"${isClipped ? ' clip-path="url(#plot)"' : ""}/>`;
}

function writtenText({ x, y, anchor, length, text, fill, halo, weight, size, font }: Text): string {
  const around = halo ? ` stroke="${escaped(halo.stroke)}" stroke-width="${halo.width}" stroke-linejoin="round" paint-order="stroke"` : "";
  const room = length === null ? "" : ` textLength="${short(length)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"${room} fill="${escaped(fill)}"${around} font-family="${escaped(font)}" font-size="${size}" font-weight="${weight}">${escaped(text)}</text>`;
}

/** The chart as an SVG file that needs nothing else, in the colours that are on screen. */
function chartSvg(svg: SVGSVGElement, picture: Picture): string {
  const { width, height, shapes } = drawingOf(svg, picture);
  const { rect, background, title, caption } = picture;
  const body = shapes.map((shape) => (shape.kind === "text" ? writtenText(shape) : writtenPath(shape)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title"><title id="title">${escaped(`${title}. ${caption}`)}</title><clipPath id="plot"><rect x="${rect.left}" y="0" width="${rect.width}" height="${rect.top + rect.height + 1}"/></clipPath><rect width="${width}" height="${height}" fill="${escaped(background)}"/>${body.join("")}</svg>\n`;
}

function drawPath(context: CanvasRenderingContext2D, shape: Path, rect: PlotRect): void {
  const path = new Path2D(shape.d);
  context.translate(0, TITLE_HEIGHT);
  if (shape.isClipped) {
    context.beginPath();
    context.rect(rect.left, 0, rect.width, rect.top + rect.height + 1);
    context.clip();
  }
  if (shape.fill !== "none") {
    context.globalAlpha = shape.fillOpacity;
    context.fillStyle = shape.fill;
    context.fill(path);
  }
  if (shape.stroke === "none") return;
  context.globalAlpha = shape.strokeOpacity;
  context.strokeStyle = shape.stroke;
  context.lineWidth = shape.strokeWidth;
  context.lineJoin = "round";
  context.setLineDash([...shape.dashes]);
  context.stroke(path);
}

function drawText(context: CanvasRenderingContext2D, { x, y, anchor, text, fill, halo, weight, size, font }: Text): void {
  context.textAlign = anchor === "middle" ? "center" : anchor;
  context.font = `${weight} ${size}px ${font}`;
  if (halo) {
    context.strokeStyle = halo.stroke;
    context.lineWidth = halo.width;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
  }
  context.fillStyle = fill;
  context.fillText(text, x, y);
}

/** The chart as a PNG; rejects where the browser cannot make one. @param scale pixels of the file for each on screen. */
async function chartPng(svg: SVGSVGElement, picture: Picture, scale: number): Promise<Blob> {
  const { width, height, shapes } = drawingOf(svg, picture);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser gives no 2D canvas to draw the image on");
  context.scale(scale, scale);
  context.fillStyle = picture.background;
  context.fillRect(0, 0, width, height);
  for (const shape of shapes) {
    context.save();
    if (shape.kind === "text") drawText(context, shape);
    else drawPath(context, shape, picture.rect);
    context.restore();
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("this browser could not encode the image"))), "image/png"),
  );
}

/** Hands the chart that lies in a frame to the browser's downloads, named by its id. Rejects where the browser makes none. */
export async function savePicture(
  frame: HTMLElement,
  form: "png" | "png-2x" | "svg",
  { id, ...words }: PictureWords & { readonly id: string },
): Promise<void> {
  const svg = frame.querySelector<SVGSVGElement>("svg.chart-surface");
  if (!svg) throw new Error("the chart is not drawn yet");
  const style = getComputedStyle(frame);
  const of = (name: string) => style.getPropertyValue(name);
  const picture = { ...words, background: of("--ground"), ink: style.color, soft: of("--ink-soft"), font: style.fontFamily };
  if (form === "svg") return saveFile(`${id}.svg`, new Blob([chartSvg(svg, picture)], { type: "image/svg+xml" }));
  const scale = form === "png" ? 1 : 2;
  saveFile(`${id}${scale === 1 ? "" : `@${scale}x`}.png`, await chartPng(svg, picture, scale));
}
