// A run as one page of HTML that needs nothing else: what it reached, its curves, what it said, its settings.
import { shareText } from "../../protocol/quantities.ts";

/** Points of a line, and its name where there are others beside it. */
interface ReportLine {
  readonly name?: string;
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

/** A curve with its points. */
export interface ReportCurve extends ReportLine {
  readonly title: string;
  /** Other lines over the same steps. */
  readonly others?: readonly ReportLine[];
  /** Its values are shares, which are written in percent. */
  readonly isShare?: boolean;
  /** Levels to compare with, each with its name. */
  readonly levels?: readonly (readonly [name: string, value: number])[];
}

export interface ReportSample {
  readonly verdict: string;
  /** Where it stands in its run, as the page's addresses count. */
  readonly place?: { readonly step: number; readonly prompt: number; readonly completion: number };
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

interface RunReport {
  readonly title: string;
  readonly verdict: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly curves: readonly ReportCurve[];
  /** Conversations under a heading, each with a line that says what it earned. */
  readonly samples: readonly { readonly title: string; readonly conversations: readonly ReportSample[] }[];
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** Where the recording itself opens, from the page's own place. */
  readonly replay?: string;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as HTML shows it. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark]!);
}

const WIDTH = 640;
const HEIGHT = 180;
/** Room for the widest number that is written at the axis, such as -0.000123. */
const LEFT = 80;
/** Room for two lines of text above the highest point, and for one below the axis. */
const TOP = 44;
const BOTTOM = 24;
/** What a line of text takes. */
const LINE = 18;
/** Most points of a drawn curve. */
const POINTS = 400;

/** A value as its curve writes it. */
const textIn =
  ({ isShare }: ReportCurve) =>
  (value: number) =>
    isShare ? shareText(value) : String(Number(value.toPrecision(3)));

/** Means over neighbours where there are more points than can be seen. */
function seen({ xs, ys }: ReportLine): readonly (readonly [x: number, y: number])[] {
  const points = xs.map((x, i) => [x, ys[i]!] as const).filter(([, y]) => Number.isFinite(y));
  const size = Math.ceil(points.length / POINTS);
  if (size <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const part = points.slice(i * size, (i + 1) * size);
    return [part.at(-1)![0], part.reduce((sum, [, y]) => sum + y, 0) / part.length] as const;
  });
}

type Points = ReturnType<typeof seen>;

/** The lines of a curve that have points. */
function linesOf(curve: ReportCurve): readonly { readonly name: string; readonly points: Points }[] {
  return [curve, ...(curve.others ?? [])].flatMap((line) => {
    const points = seen(line);
    return points.length > 0 ? [{ name: line.name ?? "", points }] : [];
  });
}

/** A curve as a drawing with its title and last values; nothing where it has no points. */
export function chartFigure(curve: ReportCurve): string {
  const drawn = linesOf(curve);
  if (drawn.length === 0) return "";
  const short = textIn(curve);
  const levels = (curve.levels ?? []).filter(([, value]) => Number.isFinite(value));
  const points = drawn.flatMap((line) => line.points);
  const all = [...points.map(([, y]) => y), ...levels.map(([, value]) => value)];
  const low = Math.min(...all);
  const high = Math.max(...all);
  const steps = points.map(([x]) => x);
  const from = Math.min(...steps);
  const to = Math.max(...steps);
  const x = (value: number) => LEFT + ((value - from) / (to - from || 1)) * (WIDTH - LEFT - 8);
  const y = (value: number) => HEIGHT - BOTTOM - ((value - low) / (high - low || 1)) * (HEIGHT - BOTTOM - TOP);
  const path = (line: Points) => line.map(([px, py], i) => `${i === 0 ? "M" : "L"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
  // Names of levels that are close lie above each other.
  let above = HEIGHT;
  const lines = levels
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, value]) => {
      above = Math.min(y(value) - 4, above - LINE);
      return `<path class="level" d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - 8}"/><text x="${WIDTH - 8}" y="${above.toFixed(1)}" text-anchor="end">${escaped(name)} ${short(value)}</text>`;
    });
  const paths = drawn.map((line, i) => `<path class="curve${i === 0 ? "" : ` curve-${i + 1}`}" d="${path(line.points)}"/>`);
  const last = drawn.map(({ name, points: own }, i) => {
    const value = `<b>${short(own.at(-1)![1])}</b>`;
    return name ? `<span class="line-${i + 1}">${escaped(name)} ${value}</span>` : value;
  });
  const told = drawn.map(({ name, points: own }) => `${name && `${name} `}from ${short(own[0]![1])} to ${short(own.at(-1)![1])}`);
  const label = `${curve.title}: ${told.join(", ")}`;
  return `<figure><figcaption>${escaped(curve.title)} ${last.join(" ")}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}"><path class="axis" d="M${LEFT} ${HEIGHT - BOTTOM}H${WIDTH - 8}"/>${lines.join("")}${paths.join("")}<text x="${LEFT - 6}" y="${TOP + 4}" text-anchor="end">${short(high)}</text><text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}" text-anchor="end">${short(low)}</text><text x="${LEFT}" y="${HEIGHT - 6}">step ${from}</text><text x="${WIDTH - 8}" y="${HEIGHT - 6}" text-anchor="end">${to}</text></svg></figure>`;
}

/** Of every page that leaves the lab by itself: light and dark as the reader has it, and dark ink on paper. */
export const PAGE_STYLE = `:root{color-scheme:light dark;--ground:#fbfaf7;--ink:#22211e;--faint:#6a675f;--line:#dcd8ce;--accent:#5b3f8c;--second:#17705a;--third:#55606e}
@media(prefers-color-scheme:dark){:root{--ground:#191917;--ink:#ece9e2;--faint:#a09c92;--line:#3a3833;--accent:#b79cf0;--second:#67c2a5;--third:#9aa5b5}}
body{margin:0 auto;padding:32px 16px;max-width:720px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:28px;margin:0 0 8px}h2{font-size:18px;margin:32px 0 8px}p.verdict{font-size:18px}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:4px 16px 4px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}th{font-weight:400;color:var(--faint);white-space:nowrap}
figure{margin:16px 0}figcaption{color:var(--faint)}figcaption b{color:var(--ink)}svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--faint)}
path{fill:none}.curve{stroke:var(--accent);stroke-width:2}.curve-2{stroke:var(--second);stroke-dasharray:7 3}.curve-3{stroke:var(--third);stroke-dasharray:2 3}
figcaption span{white-space:nowrap;margin-right:8px}.line-1 b{color:var(--accent)}.line-2 b{color:var(--second)}.line-3 b{color:var(--third)}.axis{stroke:var(--line)}.level{stroke:var(--faint);stroke-dasharray:4 4}
.sample{border-top:1px solid var(--line);padding:8px 0}.sample p{margin:4px 0;white-space:pre-wrap;overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:14px}.sample .said{color:var(--faint)}a{color:var(--accent)}
@media(max-width:480px){th{white-space:normal}svg{overflow:visible}svg text{font-size:20px}}
@media print{:root{color-scheme:light;--ground:#fff;--ink:#000;--faint:#444;--line:#bbb;--accent:#5b3f8c;--second:#17705a;--third:#55606e}
body{padding:0;max-width:none;font-size:11pt}h1{font-size:20pt}h2{break-after:avoid}figure,.sample,tr{break-inside:avoid}.curves{display:grid;grid-template-columns:1fr 1fr;gap:0 24px}figure{margin:8px 0}svg text{font-size:16px}.said-at{display:grid;grid-template-columns:1fr 1fr;gap:0 24px}.sample p{font-size:9pt}th,td{padding:1px 12px 1px 0}h2{margin:12px 0 4px}@page{margin:18mm}}`;

function table(rows: RunReport["facts"]): string {
  return `<table>${rows.map(([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join("")}</table>`;
}

/** A conversation with what it earned. */
export function sampleBlock({ verdict, messages }: ReportSample): string {
  const said = messages.map(({ role, content }) => `<p><span class="said">${escaped(role)}</span> ${escaped(content)}</p>`);
  return `<div class="sample">${said.join("")}<div class="said">${escaped(verdict)}</div></div>`;
}

export function reportPage({ title, verdict, facts, curves, samples, settings, replay }: RunReport): string {
  const said = samples
    .map(({ title: head, conversations }) => `<div><h2>${escaped(head)}</h2>${conversations.map(sampleBlock).join("")}</div>`)
    .join("");
  const open = replay === undefined ? "" : `<p><a href="${escaped(replay)}">Open the recording, token by token</a></p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${PAGE_STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1><p class="verdict">${escaped(verdict)}</p>${open}${table(facts)}<h2>Curves</h2><div class="curves">${curves.map(chartFigure).join("")}</div><div class="said-at">${said}</div><h2>Settings that are not defaults</h2>${table(settings)}</main></body></html>
`;
}
