// The public names and what is said of them: docs/library.md is the list that a change has to be made in on purpose.
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect, it } from "vitest";
import { entrySource, libraryReference, REFERENCE } from "../../scripts/build/libraryReference.mjs";
import * as library from "../../src/library/index.ts";

const text = readFileSync(join(import.meta.dirname, "..", "..", REFERENCE), "utf8");

it("docs/library.md lists the public names as they are: npm run library:reference writes it", () => {
  expect(text).toBe(libraryReference());
});

it("every public value is there and is explained", () => {
  const listed = text.slice(text.indexOf("## rollout-lab\n"), text.indexOf("## rollout-lab/node"));
  const tables = listed
    .split("| value | |")
    .slice(1)
    .map((each) => each.split("| type | |")[0]!);
  const values = Array.from(tables.join("").matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, name, sentence]) => ({ name, sentence }));
  expect(values.map(({ name }) => name).sort()).toEqual(Object.keys(library).sort());
  for (const { name, sentence } of values) expect(sentence, name).toMatch(/\w/);
});

it("the names stand in groups, the fifteen that a program needs first before the others", () => {
  const groups = text.slice(text.indexOf("## rollout-lab\n"), text.indexOf("## rollout-lab/node")).split("\n### ").slice(1);
  const sizes = groups.map((group) => [group.slice(0, group.indexOf("\n")), group.match(/^\| `/gm)?.length ?? 0] as const);
  expect(sizes[0]).toEqual(["Begin here", 15]);
  for (const [title, size] of sizes) expect(size, title).toBeLessThan(50);
});

it("every public name is explained by a sentence", () => {
  const lines = Array.from(text.matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, name, sentence]) => [name, sentence] as const);
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter(([, sentence]) => !/\w{2}/.test(sentence ?? "")).map(([name]) => name)).toEqual([]);
});

const root = join(import.meta.dirname, "..", "..");
/** Names that a text takes from other files of the project, with their files. */
const namedIn = (source: string, from: string) =>
  Array.from(source.matchAll(/(?:im|ex)port (?:type )?\{([^}]*)\} from "(\.[^"]+)"/g), ([, names = "", path = ""]) =>
    names
      .split(",")
      .map((name) => [name.trim().replace(/^type /, ""), normalize(join(from, "..", path))] as const)
      .filter(([name]) => name !== ""),
  ).flat();

/** The head of a declaration: a type whole, of a function what stands before its body. */
function declarationOf(source: string, name: string): string {
  const found = new RegExp(`^export (?:async )?(?:function\\*?|interface|type) ${name}\\b`, "m").exec(source);
  if (!found) return "";
  const rest = source.slice(found.index);
  const end = found[0].includes("interface") ? /^\}|^[^\n]*\{\}/m : found[0].includes("type") ? /;\n(?!\s)/ : / \{\n/;
  return rest.slice(0, rest.search(end)).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"]*"/g, "");
}

it("whatever public types and functions mention is public too", () => {
  const entries = ["src/library/index.ts", "src/cli/libraryNode.ts"];
  const known = new Map(entries.flatMap((entry) => namedIn(entrySource(entry), entry)));
  const lost = [...known].flatMap(([name, path]) => {
    const source = readFileSync(join(root, path), "utf8");
    const own = Array.from(source.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm), ([, each]) => each!);
    const types = new Set([...own, ...namedIn(source, path).map(([each]) => each)]);
    const mentioned = new Set(declarationOf(source, name).match(/\b[A-Z]\w*[a-z]\w*\b/g));
    return [...mentioned].filter((each) => types.has(each) && !known.has(each)).map((each) => `${name} mentions ${each}`);
  });
  expect(lost).toEqual([]);
});
