// Styles of rooms that load one after the other meet on one page, whichever came first: a class has one room that says how it looks. A class
// that no part of the page has is taken out.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const ROOT = "src/ui";
/** Classes that a rule of their own gives a look: ".answer {", ".answer,", not within a condition or below another. */
const OWN_RULE = /^\.([a-z][\w-]*)(?=,?$| \{)/gm;

const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" });
const textsOf = (form: RegExp) =>
  files.filter((file) => form.test(file)).map((file) => ({ file, text: readFileSync(`${ROOT}/${file}`, "utf8") }));

/** Names as a part writes them, within quotes; what ends in a hyphen begins names that are put together, "turn-" of `turn-${speaker}`. */
function namesOfParts(): { readonly whole: ReadonlySet<string>; readonly begun: readonly string[] } {
  const quoted = textsOf(/\.tsx?$/).flatMap(({ text }) => text.match(/"[^"\n]*"|`[^`]*`/g) ?? []);
  const names = quoted.flatMap((each) => each.match(/[\w-]+/g) ?? []);
  return { whole: new Set(names), begun: quoted.flatMap((each) => Array.from(each.matchAll(/([\w-]+-)\$\{/g), ([, begin = ""]) => begin)) };
}

it("styles no class that no part has", () => {
  const { whole, begun } = namesOfParts();
  const styled = textsOf(/\.css$/).flatMap(({ file, text }) => {
    const rules = text.replaceAll(/\/\*[\s\S]*?\*\/|@import [^;]*;/g, "");
    return Array.from(rules.matchAll(/\.([a-z][\w-]*)/g), ([, name = ""]) => ({ file, name }));
  });
  expect(styled.length).toBeGreaterThan(300);
  // Classes of Temml, which sets formulas.
  const isWorn = (name: string) => whole.has(name) || begun.some((begin) => name.startsWith(begin)) || name.startsWith("tml-");
  expect(styled.filter(({ name }) => !isWorn(name))).toEqual([]);
});

it("no two rooms give one class its looks", () => {
  const roomsOf = new Map<string, Set<string>>();
  for (const { file, text } of textsOf(/\.css$/)) {
    const room = file.split(/[/\\]/)[0]!;
    for (const [, name = ""] of text.matchAll(OWN_RULE)) roomsOf.set(name, (roomsOf.get(name) ?? new Set()).add(room));
  }
  expect(roomsOf.size).toBeGreaterThan(300);
  const shared = [...roomsOf].filter(([, rooms]) => rooms.size > 1);
  expect(shared.map(([name, rooms]) => `${name}: ${[...rooms].join(", ")}`)).toEqual([]);
});

/** The page's rooms, lowest first: each knows only those before it. */
const ROOMS = ["kit", "engine", "step", "experiment", "runs", "open", "learn", "make", "shell", "train"];
const roomOf = (file: string) => ROOMS.indexOf(file.split(/[/\\]/)[0]!);

it("lets no part wear a class that a room styles which it does not know: it would look otherwise once that room was visited", () => {
  const styledIn = new Map<string, number>();
  for (const { file, text } of textsOf(/\.css$/)) for (const [, name = ""] of text.matchAll(OWN_RULE)) styledIn.set(name, roomOf(file));
  const worn = textsOf(/\.tsx$/).flatMap(({ file, text }) => {
    const names = Array.from(text.matchAll(/\b(?:class|headClass)Name="([^"]*)"/g), ([, names = ""]) => names.split(/\s+/)).flat();
    return names.map((name) => ({ file, name }));
  });
  expect(worn.length).toBeGreaterThan(1000);
  const later = worn.filter(({ file, name }) => roomOf(file) >= 0 && (styledIn.get(name) ?? -1) > roomOf(file));
  expect(later).toEqual([]);
});
