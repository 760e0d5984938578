// Outlines of lines and intervals in SVG's path language, to a tenth of a pixel. Pure.
import type { PlotRow } from "./plotModel.ts";

type ToPixel = (value: number) => number;

function pixel(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A straight line through points that are pixels already, left out where one has no place; "" without any. */
export function pointsPath(points: readonly (readonly [x: number, y: number])[]): string {
  const placed = points.filter((point) => point.every(Number.isFinite));
  return placed.map(([x, y], i) => `${i === 0 ? "M" : "L"}${pixel(x)},${pixel(y)}`).join("");
}

/** A line through the rows that have the key, straight over rows that have not; "" without any. */
export function linePath(rows: readonly PlotRow[], key: string, x: ToPixel, y: ToPixel): string {
  let path = "";
  for (const row of rows) {
    const value = row[key];
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    path += `${path === "" ? "M" : "L"}${pixel(x(row.x as number))},${pixel(y(value))}`;
  }
  return path;
}

/** The area between both ends of an interval: along the upper ends and back along the lower ones. */
export function bandPath(rows: readonly PlotRow[], key: string, x: ToPixel, y: ToPixel): string {
  let upper = "";
  let lower = "";
  for (const row of rows) {
    const value = row[key];
    if (value === undefined || typeof value === "number") continue;
    const at = pixel(x(row.x as number));
    upper += `${upper === "" ? "M" : "L"}${at},${pixel(y(value[1]))}`;
    lower = `L${at},${pixel(y(value[0]))}${lower}`;
  }
  return upper === "" ? "" : `${upper}${lower}Z`;
}
