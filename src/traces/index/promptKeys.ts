// What tells equal texts without keeping them, and by it equal prompts in whatever files.
import { NO_TOKEN } from "../../protocol/records.ts";
import type { Said } from "../rollout.ts";
import type { TracePrompt } from "../traceSet.ts";

/** A text as 53 bits: two lanes with other factors, so that equal ones are equal texts for all that files can hold. */
export function hash53(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

const compact = (text: string) => `${text.length.toString(36)}-${hash53(text).toString(36)}`;

/** Letters of a prompt that are kept. */
const BEGIN = 160;

/** What an answer was asked: equal prompts have equal keys, in whatever files; null where the files do not say it. */
export function promptOf({ opening, prompt }: Said): TracePrompt | null {
  const last = opening.findLast(({ role }) => role === "user") ?? opening.at(-1);
  const hasIds = prompt.tokens.some((id) => id !== NO_TOKEN);
  if (!opening.some(({ content }) => content !== "")) {
    if (!hasIds) return null;
    return { key: compact(prompt.tokens.join(",")), begin: prompt.pieces.slice(0, BEGIN).join("").slice(0, BEGIN) };
  }
  // A part of a long text keeps all of it in memory; one that was read anew does not.
  const begin = JSON.parse(JSON.stringify((last?.content ?? "").trim().slice(0, BEGIN))) as string;
  return { key: compact(JSON.stringify(opening.map(({ role, content }) => [role, content.trim()]))), begin };
}
