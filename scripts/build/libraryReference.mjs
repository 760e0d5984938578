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

<!-- run -->

\`\`\`js
import { trainRun } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";

const run = await trainRun({ task: "digit-sum", model: "tabular", steps: 50 }, createNodeHost());
console.log(run.evaluations.at(-1).sampledAccuracy);
\`\`\`

The engine has no clock, disk or network of its own: what it needs is a \`Host\`, of which \`rollout-lab/node\` and \`rollout-lab/browser\` make one each. In a browser the files of the package's \`public\` folder must be served somewhere, and \`createBrowserHost("/that/folder/")\` is told where; a worker is the place to train in. Tasks and rewards of one's own go with the host: \`createNodeHost({ additions: { tasks: [mine] } })\`. \`examples/\` has eight whole programs. TensorFlow.js is needed only for its own backends, and is then installed beside this package.

Below is every public name, with its first sentence; the declarations in the package say the rest. The list is made from the sources by \`npm run library:reference\`.
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

/** @param {string} path of an entry @returns {{ name: string, kind: string, sentence: string }[]} */
function namesOf(path) {
  const text = readFileSync(join(projectRoot, path), "utf8");
  const listed = Array.from(text.matchAll(/export (type )?\{([^}]*)\} from "([^"]+)"/g), ([, type, names = "", from = ""]) => {
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
  const own = Array.from(text.matchAll(/\nexport (?:async )?function (\w+)/g), ([, name = ""]) => ({
    ...{ name, kind: "value" },
    sentence: sentenceOf(text, name) ?? "",
  }));
  return [...listed, ...own].sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** The text of docs/library.md as the sources have it. */
export function libraryReference() {
  const parts = ENTRIES.map(({ name, path }) => {
    const found = namesOf(path);
    const rows = (/** @type {string} */ kind) =>
      found.filter((each) => each.kind === kind).map((each) => `| \`${each.name}\` | ${each.sentence} |`);
    const [values, types] = [rows("value"), rows("type")];
    const table = (/** @type {string} */ head, /** @type {string[]} */ lines) =>
      lines.length > 0 ? `\n| ${head} | |\n|---|---|\n${lines.join("\n")}\n` : "";
    return `\n## ${name}\n${table("value", values)}${table("type", types)}`;
  });
  return OPENING + parts.join("");
}

if (isProgram(import.meta.url)) writeFileSync(join(projectRoot, REFERENCE), libraryReference());
