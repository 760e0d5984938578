// One chart or one conversation as a page of its own, for a frame in a paper, a slide or another site: it needs nothing
// else, runs nothing, and is light or dark as its reader has it. The code of the frame names such a page, or holds it
// whole.
import { chartFigure, escaped, PAGE_STYLE, type ReportCurve, type ReportSample, sampleBlock } from "./reportPage.ts";

/** What an embed says of the run that it is of. */
export interface EmbedSource {
  /** The run in words, with the settings that make it. */
  readonly caption: string;
  /** Where the recording opens, from the embed's own place. */
  readonly replay?: string;
}

export interface Embed {
  readonly title: string;
  readonly html: string;
  /** Pixels, at the width of a frame. */
  readonly height: number;
}

/** Width of a frame; a narrower one cuts nothing off. */
export const FRAME_WIDTH = 640;
const CHART_HEIGHT = 264;
/** Letters in a line of a conversation, and how high lines, messages and the rest of the page are. */
const LETTERS = 66;
const LINE_HEIGHT = 21;
const MESSAGE_GAP = 4;
const AROUND = 84;
/** Of a longer conversation the frame shows the beginning and scrolls. */
const HIGHEST = 560;

const STYLE = `${PAGE_STYLE}
body{max-width:none;padding:8px 12px;font-size:14px}figure{margin:0}.sample{border-top:0;padding:0}.from{margin:8px 0 0;font-size:12px;color:var(--faint)}`;

function pageOf(title: string, body: string, { caption, replay }: EmbedSource): string {
  const link = replay === undefined ? "" : ` · <a href="${escaped(replay)}" target="_blank" rel="noreferrer">Open the recording</a>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main>${body}<p class="from">${escaped(caption)} · Rollout Lab${link}</p></main></body></html>
`;
}

export function chartEmbed(curve: ReportCurve, source: EmbedSource): Embed {
  return { title: curve.title, html: pageOf(curve.title, chartFigure(curve), source), height: CHART_HEIGHT };
}

/** A conversation, with what it earned. */
export function conversationEmbed(title: string, sample: ReportSample, source: EmbedSource): Embed {
  const lines = ({ role, content }: ReportSample["messages"][number]) =>
    `${role} ${content}`.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LETTERS)), 0);
  const said = sample.messages.reduce((sum, message) => sum + LINE_HEIGHT * lines(message) + MESSAGE_GAP, 0);
  return { title, html: pageOf(title, sampleBlock(sample), source), height: Math.min(HIGHEST, AROUND + said) };
}

/** The code of a frame, to be pasted into another page. @param page its address, or the page itself. */
export function frameCode(page: { readonly src: string } | { readonly srcdoc: string }, title: string, height: number): string {
  const [name, value] = "src" in page ? (["src", page.src] as const) : (["srcdoc", page.srcdoc] as const);
  return `<iframe ${name}="${escaped(value)}" width="${FRAME_WIDTH}" height="${Math.ceil(height)}" style="border: 0; max-width: 100%" loading="lazy" title="${escaped(title)}"></iframe>`;
}
