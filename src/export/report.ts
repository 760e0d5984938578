// A run as one page of HTML that needs nothing else: what it reached, its curves, what it said, its settings.

/** A curve with its points. */
export interface ReportCurve {
  readonly title: string;
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Levels to compare with, each with its name. */
  readonly levels?: readonly (readonly [name: string, value: number])[];
}

export interface ReportSample {
  readonly verdict: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface RunReport {
  readonly title: string;
  readonly verdict: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly curves: readonly ReportCurve[];
  /** Conversations under a heading, each with a line that says what it earned. */
  readonly samples: readonly { readonly title: string; readonly conversations: readonly ReportSample[] }[];
  readonly settings: readonly (readonly [name: string, value: string])[];
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
const TOP = 36;
const BOTTOM = 24;
/** What a line of text takes. */
const LINE = 14;
/** Most points of a drawn curve. */
const POINTS = 400;

const short = (value: number) => String(Number(value.toPrecision(3)));

/** Means over neighbours where there are more points than can be seen. */
function seen({ xs, ys }: ReportCurve): readonly (readonly [x: number, y: number])[] {
  const points = xs.map((x, i) => [x, ys[i]!] as const).filter(([, y]) => Number.isFinite(y));
  const size = Math.ceil(points.length / POINTS);
  if (size <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => {
    const part = points.slice(i * size, (i + 1) * size);
    return [part.at(-1)![0], part.reduce((sum, [, y]) => sum + y, 0) / part.length] as const;
  });
}

function chart(curve: ReportCurve): string {
  const points = seen(curve);
  if (points.length === 0) return "";
  const levels = (curve.levels ?? []).filter(([, value]) => Number.isFinite(value));
  const all = [...points.map(([, y]) => y), ...levels.map(([, value]) => value)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [from, to] = [points[0]![0], points.at(-1)![0]];
  const x = (value: number) => LEFT + ((value - from) / (to - from || 1)) * (WIDTH - LEFT - 8);
  const y = (value: number) => HEIGHT - BOTTOM - ((value - low) / (high - low || 1)) * (HEIGHT - BOTTOM - TOP);
  const path = points.map(([px, py], i) => `${i === 0 ? "M" : "L"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
  // Names of levels that are close lie above each other.
  let above = HEIGHT;
  const lines = levels
    .toSorted(([, a], [, b]) => a - b)
    .map(([name, value]) => {
      above = Math.min(y(value) - 4, above - LINE);
      return `<path class="level" d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH - 8}"/><text x="${WIDTH - 8}" y="${above.toFixed(1)}" text-anchor="end">${escaped(name)} ${short(value)}</text>`;
    });
  const last = points.at(-1)![1];
  const label = `${curve.title}: from ${short(points[0]![1])} to ${short(last)}`;
  return `<figure><figcaption>${escaped(curve.title)} <b>${short(last)}</b></figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}"><path class="axis" d="M${LEFT} ${HEIGHT - BOTTOM}H${WIDTH - 8}"/>${lines.join("")}<path class="curve" d="${path}"/><text x="${LEFT - 6}" y="${TOP + 4}" text-anchor="end">${short(high)}</text><text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}" text-anchor="end">${short(low)}</text><text x="${LEFT}" y="${HEIGHT - 6}">step ${from}</text><text x="${WIDTH - 8}" y="${HEIGHT - 6}" text-anchor="end">${to}</text></svg></figure>`;
}

const STYLE = `:root{color-scheme:light dark;--ground:#fbfaf7;--ink:#22211e;--faint:#6a675f;--line:#dcd8ce;--accent:#0b6b5d}
@media(prefers-color-scheme:dark){:root{--ground:#191917;--ink:#ece9e2;--faint:#a09c92;--line:#3a3833;--accent:#5cc2ad}}
body{margin:0 auto;padding:32px 16px;max-width:720px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:28px;margin:0 0 8px}h2{font-size:18px;margin:32px 0 8px}p.verdict{font-size:18px}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:4px 16px 4px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}th{font-weight:400;color:var(--faint);white-space:nowrap}
figure{margin:16px 0}figcaption{color:var(--faint)}figcaption b{color:var(--ink)}svg{width:100%;height:auto}svg text{font-size:12px;fill:var(--faint)}
path{fill:none}.curve{stroke:var(--accent);stroke-width:2}.axis{stroke:var(--line)}.level{stroke:var(--faint);stroke-dasharray:4 4}
.sample{border-top:1px solid var(--line);padding:8px 0}.sample p{margin:4px 0;white-space:pre-wrap;overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:14px}.sample .said{color:var(--faint)}`;

function table(rows: RunReport["facts"]): string {
  return `<table>${rows.map(([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join("")}</table>`;
}

function sample({ verdict, messages }: ReportSample): string {
  const said = messages.map(({ role, content }) => `<p><span class="said">${escaped(role)}</span> ${escaped(content)}</p>`);
  return `<div class="sample">${said.join("")}<div class="said">${escaped(verdict)}</div></div>`;
}

/** The page. */
export function reportPage({ title, verdict, facts, curves, samples, settings }: RunReport): string {
  const said = samples.map(({ title: head, conversations }) => `<h2>${escaped(head)}</h2>${conversations.map(sample).join("")}`).join("");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><h1>${escaped(title)}</h1><p class="verdict">${escaped(verdict)}</p>${table(facts)}<h2>Curves</h2>${curves.map(chart).join("")}${said}<h2>Settings that are not defaults</h2>${table(settings)}</body></html>
`;
}
