// Saves a drawn chart as PNG. The shapes of the SVG are drawn onto a canvas one by one, with the styles
// and fonts the page shows: an SVG loaded as an image could not see the page's fonts.
import type { PlotRect } from "./plot/plotModel.ts";

export interface ImageOptions {
  readonly title: string;
  readonly background: string;
  readonly ink: string;
  readonly font: string;
  readonly rect: PlotRect;
  /** Device pixels per CSS pixel. */
  readonly scale: number;
}

const TITLE_HEIGHT = 36;

/** The chart as a PNG blob; throws where the browser cannot make one. */
export async function chartPng(svg: SVGSVGElement, options: ImageOptions): Promise<Blob> {
  const { scale, rect } = options;
  const width = svg.clientWidth;
  const height = svg.clientHeight + TITLE_HEIGHT;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser gives no 2D canvas to draw the image on");
  context.scale(scale, scale);
  context.fillStyle = options.background;
  context.fillRect(0, 0, width, height);
  context.fillStyle = options.ink;
  context.font = `600 15px ${options.font}`;
  context.fillText(options.title, 12, 24);
  context.translate(0, TITLE_HEIGHT);
  for (const shape of svg.querySelectorAll<SVGGraphicsElement>("path, line, circle, text")) {
    context.save();
    if (shape.closest("[clip-path]")) {
      context.beginPath();
      context.rect(rect.left, 0, rect.width, rect.top + rect.height + 1);
      context.clip();
    }
    if (shape instanceof SVGTextElement) drawText(context, shape);
    else drawShape(context, shape);
    context.restore();
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("this browser could not encode the image"))), "image/png"),
  );
}

function outline(shape: SVGGraphicsElement): Path2D | null {
  if (shape instanceof SVGPathElement) return new Path2D(shape.getAttribute("d") ?? "");
  const path = new Path2D();
  if (shape instanceof SVGLineElement) {
    path.moveTo(shape.x1.baseVal.value, shape.y1.baseVal.value);
    path.lineTo(shape.x2.baseVal.value, shape.y2.baseVal.value);
    return path;
  }
  if (shape instanceof SVGCircleElement) {
    path.arc(shape.cx.baseVal.value, shape.cy.baseVal.value, shape.r.baseVal.value, 0, 2 * Math.PI);
    return path;
  }
  return null;
}

function drawShape(context: CanvasRenderingContext2D, shape: SVGGraphicsElement): void {
  const style = getComputedStyle(shape);
  const path = outline(shape);
  if (!path || style.display === "none" || style.visibility === "hidden") return;
  if (style.fill !== "none" && !(shape instanceof SVGLineElement)) {
    context.globalAlpha = Number(style.fillOpacity) * Number(style.opacity);
    context.fillStyle = style.fill;
    context.fill(path);
  }
  if (style.stroke !== "none") {
    context.globalAlpha = Number(style.strokeOpacity) * Number(style.opacity);
    context.strokeStyle = style.stroke;
    context.lineWidth = Number.parseFloat(style.strokeWidth) || 1;
    context.lineJoin = "round";
    context.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat));
    context.stroke(path);
  }
}

function drawText(context: CanvasRenderingContext2D, text: SVGTextElement): void {
  const style = getComputedStyle(text);
  if (text.getNumberOfChars() === 0) return;
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = style.fill;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  const start = text.getStartPositionOfChar(0);
  if (style.stroke !== "none") {
    context.strokeStyle = style.stroke;
    context.lineWidth = Number.parseFloat(style.strokeWidth);
    context.strokeText(text.textContent ?? "", start.x, start.y);
  }
  context.fillText(text.textContent ?? "", start.x, start.y);
}
