// npm run sentences: prints every sentence of the page into one file (.cache/sentences.txt or --out FILE), by
// source file with its lines, so that somebody can read the whole page from top to bottom without opening it.
// The words come from the syntax tree: string literals, template literals with {holes}, and the text of elements.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { parseSync } from "vite";
import { projectRoot } from "./environment.mjs";

const places = ["src/ui", "src/rl", "src/protocol/config", "src/train"];

/** Elements that stand inside a sentence: their words are read in its place. */
const inline = new Set(["a", "abbr", "b", "code", "em", "i", "kbd", "span", "strong", "sub", "sup", "Link", "Term"]);
/** Attributes and calls whose strings are for machines. */
const machineAttributes = new Set(["className", "d", "id", "key", "viewBox", "transform", "points", "style"]);

/** @param {string} folder @returns {string[]} */
function sourcesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/** Two words beside each other, one of them of letters: what a person could read as a sentence or a part of one.
 * @param {string} text */
const isSentence = (text) => /\p{L}{2,}[,.:;]? \S/u.test(text) && !/^[a-z]+(?:-[a-z]+)*(?: [a-z]+-[a-z-]+)+$/.test(text);

/** @param {string} text */
const tidy = (text) => text.replace(/\s+/g, " ").trim();

/** The sentences of one file, each with the place where it begins. @param {string} path @returns {{ start: number, text: string }[]} */
function sentencesOf(path) {
  const source = readFileSync(path, "utf8");
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  /** @type {{ start: number, text: string }[]} */
  const found = [];
  const keep = (/** @type {number} */ start, /** @type {string} */ text) => {
    if (isSentence(tidy(text))) found.push({ start, text: tidy(text) });
  };
  /** What stands in a hole: its own source where that is short. @param {any} node */
  const hole = (node) => {
    const text = tidy(source.slice(node.start, node.end));
    return text.length <= 40 ? `{${text}}` : "{…}";
  };
  /** Whole templates; what stands in their holes may hold sentences of its own. @param {any} node */
  const template = (node) =>
    node.quasis
      .map((/** @type {any} */ quasi, /** @type {number} */ at) => {
        const expression = node.expressions[at];
        return quasi.value.cooked + (expression ? hole(expression) : "");
      })
      .join("");
  /** The children of an element, cut where an element begins that is a block of its own. @param {any[]} children */
  const flow = (children) => {
    let text = "";
    for (const child of children) {
      if (child.type === "JSXText") text += child.value;
      else if (child.type === "JSXExpressionContainer") {
        const inside = child.expression;
        text += inside.type === "Literal" ? String(inside.value) : inside.type === "JSXEmptyExpression" ? "" : hole(inside);
      } else if (child.type === "JSXElement" && inline.has(child.openingElement.name.name)) text += flow(child.children);
      else text += "\n\n";
    }
    return text;
  };
  /** @param {any} node @param {boolean} inFlow whether the words around it already hold its text */
  const visit = (node, inFlow) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each, inFlow);
      return;
    }
    if (typeof node.type !== "string" || (node.type.startsWith("TS") && !node.expression)) return;
    if (/^(Import|ExportAll)/.test(node.type)) return;
    if (node.type === "JSXAttribute" && machineAttributes.has(node.name.name)) return;
    if (node.type === "Literal" && typeof node.value === "string" && !inFlow) keep(node.start, node.value);
    if (node.type === "TemplateLiteral") keep(node.start, template(node));
    const isElement = node.type === "JSXElement" || node.type === "JSXFragment";
    if (isElement && !inFlow) {
      for (const part of flow(node.children).split("\n\n")) keep(node.start, part);
    }
    for (const [key, value] of Object.entries(node)) {
      // An inline element is read where its parent is; whatever else stands in it is looked at for itself.
      if (key === "children" && isElement)
        for (const child of value) visit(child, child.type === "JSXElement" && inline.has(child.openingElement.name.name));
      else visit(value, false);
    }
  };
  visit(program, false);
  return found;
}

const { values } = parseArgs({ options: { out: { type: "string", default: join(".cache", "sentences.txt") } } });
const blocks = places
  .flatMap((place) => sourcesBelow(join(projectRoot, place)).sort())
  .flatMap((path) => {
    const source = readFileSync(path, "utf8");
    const lines = sentencesOf(path).map(({ start, text }) => `${source.slice(0, start).split("\n").length}: ${text}`);
    return lines.length > 0 ? [`== ${relative(projectRoot, path)}\n${lines.join("\n")}\n`] : [];
  });
const out = join(projectRoot, values.out);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, blocks.join("\n"));
console.log(`${blocks.join("").match(/^\d+: /gm)?.length ?? 0} sentences of ${blocks.length} files: ${relative(projectRoot, out)}`);
