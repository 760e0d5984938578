// npm run library:reference: writes docs/library.md, one line for each public name of the library with the
// sentence that stands above it in the sources. Usage: node scripts/build/libraryReference.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProgram, projectRoot } from "../environment.mjs";

export const REFERENCE = "docs/library.md";

const ENTRIES = [
  { name: "rollout-lab", path: "src/library/index.ts" },
  { name: "rollout-lab/node", path: "src/cli/libraryNode.ts" },
  { name: "rollout-lab/browser", path: "workers/libraryBrowser.ts" },
];

const OPENING = `# The library

\`npm pack\` makes the package; it needs nothing but what it brings along. A model is loaded and asked in three lines:

<!-- run -->

\`\`\`js
import { openModel } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const model = await openModel("base", createNodeHost());
console.log(await model.ask("What is 12 + 30?"));
model.close();
\`\`\`

\`openModel\` takes the name of a model (a folder of \`models/\`, or OWNER/NAME of the hub once \`rollout-lab fetch\` has brought it), a configuration, or files: a run that was saved, a Hugging Face folder, a PEFT folder. A run is trained in as many:

<!-- run -->

\`\`\`js
import { trainRun } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const run = await trainRun({ task: "digit-sum", model: "tabular", steps: 50 }, createNodeHost());
console.log(run.evaluations.at(-1).sampledAccuracy);
await run.close();
\`\`\`

The engine has no clock, disk or network of its own: what it needs is a \`Host\`, of which \`rollout-lab/node\` and \`rollout-lab/browser\` make one each. Tasks and rewards of one's own go with the host: \`createNodeHost({ additions: { tasks: [mine] } })\`. \`examples/\` has eight whole programs. TensorFlow.js is needed only for its own backends, and is then installed beside this package.

## Closing and stopping

A run and a model hold memory and threads. \`close()\` of a \`TrainedRun\`, an \`Engine\` or an \`OpenedModel\` gives them back at once; whoever asks afterwards hears that it is closed. What a program no longer refers to is given back too, but only when garbage is collected: a loop over many runs closes each. There is no \`Symbol.asyncDispose\`, which Safari lacks.

\`trainRun(config, host, { signal })\` stops in the step in flight when the \`AbortSignal\` says so. As \`fetch\` does, it rejects with the signal's reason, an \`AbortError\` where none was given, once memory and threads are given back. What \`onStep\` and \`onEvaluation\` were told until then is all that remains.

## What goes wrong

\`openModel\`, \`trainRun\` and an engine reject with a \`LabError\`; so do the functions that take definitions. Its \`message\` is a sentence that can be shown as it is. Its \`kind\` is what a program tells apart: \`input\` (what was given is wrong; \`problems\` names each field), \`overtaken\` (a later command came in between, and nothing is wrong), \`closed\`, and \`failed\` for all else. Only the reason of a signal is handed on as it is.

## In a browser, with Vite

Train in a worker, since the kernels block the thread they run on:

\`\`\`js
// worker.js, begun by new Worker(new URL("./worker.js", import.meta.url), { type: "module" })
import { trainRun } from "rollout-lab";
import { createBrowserHost } from "rollout-lab/browser";

const run = await trainRun({ task: "digit-sum", steps: 20 }, createBrowserHost("/lab/"));
postMessage(run.steps.length);
\`\`\`

The files that the engine reads lie in the package's \`public\` folder. Copy what is used into your own, here to \`public/lab\`, and name the address that it is served at (\`/lab/\`):

| folder of \`node_modules/rollout-lab/public\` | for |
|---|---|
| \`kernels\` | every transformer |
| \`sandbox\` | rewards with patterns, and code of somebody's own |
| \`models/NAME\` | a checkpoint by its name; \`models/base\` is the one of boxed arithmetic |
| \`tokenizers\` | templates of conversations that other models have |

\`\`\`sh
mkdir -p public/lab && cp -r node_modules/rollout-lab/public/kernels node_modules/rollout-lab/public/sandbox public/lab/
\`\`\`

Vite 8 bundles the package without a plugin and without \`optimizeDeps\`. Kernel threads share memory, which browsers allow only where the page comes with two headers; without them training runs on one thread. The worker splits into parts, for which its format is \`es\`:

<!-- vite.config.js -->

\`\`\`js
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default { worker: { format: "es" }, server: { headers }, preview: { headers } };
\`\`\`

The host that serves the finished page has to send the same two: \`docs/hosting.md\` says how.

# Public names

Every public name with its first sentence, those that a program needs first before the others; the declarations in the package say the rest. The list is made from the sources by \`npm run library:reference\`.
`;

/**
 * What is said above an exported name, up to its first full stop.
 * @param {string} text of the file that declares it
 * @param {string} name
 */
function sentenceOf(text, name) {
  const declared = new RegExp(`\\nexport (?:async )?(?:abstract )?(?:function\\*?|const|class|interface|type) ${name}\\b`).exec(
    `\n${text}`,
  );
  if (!declared) return null;
  const above = `\n${text}`.slice(0, declared.index).trimEnd();
  if (!above.endsWith("*/")) return "";
  const comment = above.slice(above.lastIndexOf("/**") + 3, -2).replaceAll(/\s*\n\s*\*\s?/g, " ");
  const [first = ""] = comment.trim().split(/(?<=\.)\s+(?=[A-Z@`])/);
  return first.replaceAll("|", "\\|");
}

/** @typedef {{ name: string, kind: string, sentence: string }} PublicName */

/** @param {string} text of a section @param {string} path of the entry @returns {PublicName[]} */
function listedIn(text, path) {
  return Array.from(text.matchAll(/export (type )?\{([^}]*)\} from "([^"]+)"/g), ([, type, names = "", from = ""]) => {
    const source = readFileSync(join(projectRoot, dirname(path), from), "utf8");
    return names
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean)
      .map((each) => {
        const name = each.replace(/^type /, "");
        const sentence = sentenceOf(source, name);
        if (sentence === null) throw new Error(`${path} lists ${name}, which ${from} does not declare`);
        return { name, kind: type || each.startsWith("type ") ? "type" : "value", sentence };
      });
  }).flat();
}

/** @param {PublicName[]} names as tables, values before types */
function tablesOf(names) {
  const sorted = names.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  return ["value", "type"]
    .map((kind) => sorted.filter((each) => each.kind === kind).map((each) => `| \`${each.name}\` | ${each.sentence} |`))
    .map((rows, i) => (rows.length > 0 ? `\n| ${["value", "type"][i]} | |\n|---|---|\n${rows.join("\n")}\n` : ""))
    .join("");
}

/**
 * The source of an entry, with each file of its folder that it hands on whole in that line's place.
 * @param {string} path
 * @returns {string}
 */
export function entrySource(path) {
  const text = readFileSync(join(projectRoot, path), "utf8");
  return text.replaceAll(/^export \* from "\.\/(.+)";$/gm, (_, file) => entrySource(join(dirname(path), file)));
}

/** @param {{ name: string, path: string }} entry with its sections, which lines "// --- TITLE" begin in its source */
function entryText({ name, path }) {
  const text = entrySource(path);
  const own = Array.from(text.matchAll(/\nexport (?:async )?function (\w+)/g), ([, each = ""]) => ({
    ...{ name: each, kind: "value" },
    sentence: sentenceOf(text, each) ?? "",
  }));
  const [untitled = "", ...sections] = text.split(/\n\/\/ --- /);
  const titled = sections.map((section) => `\n### ${section.slice(0, section.indexOf("\n"))}\n${tablesOf(listedIn(section, path))}`);
  return `\n## ${name}\n${tablesOf([...listedIn(untitled, path), ...own])}${titled.join("")}`;
}

/** The text of docs/library.md as the sources have it. */
export function libraryReference() {
  return OPENING + ENTRIES.map(entryText).join("");
}

if (isProgram(import.meta.url)) writeFileSync(join(projectRoot, REFERENCE), libraryReference());
