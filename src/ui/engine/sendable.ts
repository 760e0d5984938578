// What can be sent to a worker is plain data. Where something else was given, as a script may, the browser
// says that it could not be cloned but not where it stands; this finds the field.
import type { CommandType } from "../../protocol/commands.ts";
import { entryName, isPlain, showValue } from "../../protocol/problems.ts";

function isSendable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** The way to what cannot be sent, and that value; null where all of it can. `within` are the values around it. */
function unsendable(
  value: unknown,
  path: readonly string[],
  within: readonly unknown[],
): { readonly path: readonly string[]; readonly value: unknown } | null {
  if (within.includes(value) || isSendable(value)) return null;
  for (const [key, entry] of isPlain(value) || Array.isArray(value) ? Object.entries(value) : []) {
    const found = unsendable(entry, [...path, key], [...within, value]);
    if (found) return found;
  }
  return { path, value };
}

/** Why a command could not be sent, as a sentence that names the field; null where it can be. */
export function sendingProblem(command: object): string | null {
  const found = unsendable(command, [], []);
  if (!found) return null;
  // The fields of a configuration are named without the command around them, as everywhere.
  const path = found.path[0] === "config" || found.path[0] === "settings" ? found.path.slice(1) : found.path;
  return `${entryName(path) || "value"} must be plain data, got ${showValue(found.value)}`;
}

/** Commands that only look: what they are refused is for whoever asked, and nothing is wrong with the run. */
export const LOOKS: ReadonlySet<CommandType> = new Set<CommandType>([
  "inspect",
  "table",
  "pair",
  "alternatives",
  "ask",
  "probes",
  "attribution",
  "measure",
  "otherwise",
  "try-reward",
  "try-step",
  "estimate",
  "add-save",
  "export-model",
  "export-rollout",
  "label",
  "records",
  "list-saves",
]);
