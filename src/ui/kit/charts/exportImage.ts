// Saves a drawn chart as PNG or SVG. Its shapes are written as a file of their own or drawn onto a canvas: an SVG loaded as an
// image could not see the page's fonts.
import { saveFile } from "../files.ts";
import { drawingOf, type Path, type Picture, type PictureWords, type Text, TITLE_HEIGHT } from "./chartDrawing.ts";
import type { PlotRect } from "./plot/plotModel.ts";

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
