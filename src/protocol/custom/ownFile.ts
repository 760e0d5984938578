// A custom thing as one file that the page and the command line both read: its code as it is, and behind it one
// comment with the rest, which no program has to run the code to read.
//
//   export function reward({ text }) { ... }
//
//   /* rollout-lab reward evenDigits
//   { "options": { ... }, "cases": [ ... ] }
//   */
//
// Data that a task names by its SHA-256 follows in the comment as its lines, behind "data SHA256". A comment cannot hold its
// own end: it is written "*\/", which JSON never writes by itself, so that all is read back to the letter.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { parsedJson } from "../problems.ts";
import { dataOf, type OwnThing, ownKind, readOwnThing } from "./ownThings.ts";

/** A thing with the lines of its data, where it names data and they are there. */
interface OwnFile {
  readonly thing: OwnThing;
  readonly data: string | null;
}

const OPENING = /\/\* rollout-lab ([a-z]{1,20}) (\S{1,40})\n/g;
const DATA = /\ndata ([0-9a-f]{64})\n/;

const hidden = (text: string): string => text.replaceAll("*/", "*\\/");
const shown = (text: string): string => text.replaceAll("*\\/", "*/");

/** The file's text. @param data lines of JSON that end in a line break */
export function ownFileText({ thing, data }: OwnFile): string {
  const { source, rest } = ownKind(thing.kind).split(thing.content);
  const lines = data === null ? "" : `data ${dataOf(thing)?.sha256}\n${hidden(data)}`;
  return `${source}\n/* rollout-lab ${thing.kind} ${thing.name}\n${hidden(JSON.stringify(rest, null, 1))}\n${lines}*/\n`;
}

/** Where the last such comment begins, and what it says; null in a file without one. */
function commentIn(text: string) {
  const found = [...text.matchAll(OPENING)].at(-1);
  if (!found) return null;
  const from = found.index + found[0].length;
  const end = text.indexOf("\n*/", from);
  if (end < 0) throw new Error('its comment "rollout-lab" is cut short: it must end with */');
  const [, kind = "", name = ""] = found;
  return { kind, name, at: found.index, inner: text.slice(from, end + 1) };
}

/** Whether a text has such a comment. */
export function isOwnFile(text: string): boolean {
  return text.search(OPENING) >= 0;
}

/** Reads such a file; null where it has no comment of that form. Throws a sentence where what it says is wrong. */
export function readOwnFile(given: string): OwnFile | null {
  const text = given.replaceAll("\r\n", "\n");
  const comment = commentIn(text);
  if (!comment) return null;
  const { kind, name, at, inner } = comment;
  const source = text.slice(0, Math.max(0, at - 1));
  const split = DATA.exec(inner);
  const rest = parsedJson(
    shown(split ? inner.slice(0, split.index) : inner),
    () => new Error(`its comment "rollout-lab ${kind} ${name}" must hold JSON before its end`),
  );
  const thing = readOwnThing(kind, name, ownKind(kind).joined(source, rest as Readonly<Record<string, unknown>>));
  const data = split ? shown(inner.slice(split.index + split[0].length)) : null;
  const named = dataOf(thing);
  if (data !== null && named?.sha256 !== split?.[1]) throw new Error("its data has another SHA-256 than its task names");
  if (data !== null && contentName(data) !== named?.sha256)
    throw new Error(`its data ${named?.name} was changed: its SHA-256 is not the one that its task names`);
  return { thing, data };
}

/** The SHA-256 of a content's lines. */
export function contentName(data: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(data)));
}
