// What lies in a published folder: the page as it was built, opened on the recording of a run; a report; and the run's
// charts and first and last conversations as pages for frames, with one page that shows them and the code to paste.
import { readFile } from "node:fs/promises";
import { chartEmbed, conversationEmbed, type Embed, type EmbedSource, frameCode } from "../../export/page/embed.ts";
import { curvesOf, reportOf, saidBy } from "../../export/page/reportOf.ts";
import { escaped, PAGE_STYLE, type ReportSample } from "../../export/page/reportPage.ts";
import { textFile, type WrittenRun } from "../../export/writtenRun.ts";
import type { ModelFile } from "../../protocol/messages.ts";
import { CommandError, EXIT } from "../lab/exit.ts";
import { packagePath, packageScript } from "../packageFiles.ts";

export const RUN_FOLDER = "run";
const EMBEDS = "embed";

interface Site {
  readonly files: ReadonlyMap<string, { readonly plain: { readonly bytes: Uint8Array } }>;
}

/** The built page, opened on a file beside it. */
async function pageFiles(recording: ModelFile): Promise<readonly ModelFile[]> {
  const { openSite } = await packageScript<{ readonly openSite: (folder: string) => Promise<{ readonly site: Site }> }>(
    "scripts/serve/site.mjs",
  );
  const { site } = await openSite(packagePath("dist")).catch(() => {
    throw new CommandError("the page is not built: run npm run build first", EXIT.missing);
  });
  const html = new TextDecoder().decode(site.files.get("/index.html")!.plain.bytes);
  const opening = `<script src="${RUN_FOLDER}/open.js" data-run="${escaped(recording.name)}" data-bytes="${recording.bytes.length}"></script>`;
  const built = [...site.files]
    .filter(([path]) => path !== "/index.html")
    .map(([path, { plain }]) => ({ name: path.slice(1), bytes: plain.bytes }));
  return [
    ...built,
    { name: `${RUN_FOLDER}/open.js`, bytes: await readFile(packagePath("scripts/serve/openPublished.js")) },
    textFile("index.html", html.replace("</body>", `  ${opening}\n  </body>`)),
  ];
}

const nameOf = (title: string) =>
  title
    .split(",")[0]!
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");

/** Where a conversation opens in the recording beside the folder of embeds. */
function replayAt({ place }: ReportSample): string {
  if (!place) return "../";
  const query = new URLSearchParams({ step: String(place.step), prompt: String(place.prompt), completion: String(place.completion) });
  return `../#/rollouts?${query}`;
}

interface PlacedEmbed extends Embed {
  readonly name: string;
  /** What it is called among the others, where several have one title. */
  readonly heading?: string;
}

function embedsOf(run: WrittenRun, caption: string): readonly PlacedEmbed[] {
  const source: EmbedSource = { caption, replay: "../" };
  const charts = curvesOf(run).map((curve) => ({ name: `${nameOf(curve.title)}.html`, ...chartEmbed(curve, source) }));
  const said = saidBy(run).flatMap(({ title, conversations }, when) =>
    conversations.map((sample, i) => ({
      name: `conversation-${when === 0 ? "first" : "last"}-${i + 1}.html`,
      heading: `${title}, ${i + 1}`,
      ...conversationEmbed(title, sample, { caption, replay: replayAt(sample) }),
    })),
  );
  return [...charts, ...said];
}

const STYLE = `${PAGE_STYLE}
iframe{display:block;border:1px solid var(--line)!important}textarea{box-sizing:border-box;width:100%;font:12px/1.4 ui-monospace,monospace;color:inherit;background:none;border:1px solid var(--line);padding:8px}section{margin:32px 0}`;

/** The code names the whole address once the page is open somewhere; without scripts the address stands as it is beside this page. */
const WHOLE_ADDRESSES = `for (const code of document.querySelectorAll("textarea")) {
  code.value = code.value.replace(/src="([^"]*)"/, (_, path) => 'src="' + new URL(path, location.href).href + '"');
  code.addEventListener("focus", () => code.select());
}`;

function embedList(run: WrittenRun, embeds: readonly PlacedEmbed[]): string {
  const parts = embeds.map(({ name, title, heading = title, height }, i) => {
    const code = frameCode({ src: name }, `${title}: ${run.subject}`, height);
    return `<section><h2 id="e${i}">${escaped(heading)}</h2>${code}<p><label for="c${i}">To paste into a page or a slide:</label></p><textarea id="c${i}" rows="3" readonly spellcheck="false">${escaped(code)}</textarea></section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Frames of ${escaped(run.subject)}</title><style>${STYLE}</style></head>
<body><main><h1>Frames of ${escaped(run.subject)}</h1><p>Charts and conversations of the run, each a small page that needs nothing else. <a href="../">The recording</a> · <a href="../report.html">The report</a></p>${parts.join("")}</main><script>${WHOLE_ADDRESSES}</script></body></html>
`;
}

/**
 * All files of the folder but the mark of who made it.
 * @param recording the run as one file, named as it lies below the folder.
 * @param caption the run in words.
 */
export async function publishedFiles(run: WrittenRun, recording: ModelFile, caption: string): Promise<readonly ModelFile[]> {
  const embeds = embedsOf(run, caption);
  return [
    ...(await pageFiles(recording)),
    recording,
    textFile("report.html", reportOf(run, "./")),
    ...embeds.map(({ name, html }) => textFile(`${EMBEDS}/${name}`, html)),
    textFile(`${EMBEDS}/index.html`, embedList(run, embeds)),
    // Without it GitHub Pages takes the folder for the sources of another page.
    textFile(".nojekyll", ""),
  ];
}
