// The files of kept rollouts in a save, and those among them that cannot be read. Nothing is trained on them, so a lost
// one costs the sight of its step alone.
import type { Manifest } from "../manifest.ts";
import { checkedPart } from "../parts.ts";
import type { SavedState } from "../savedState.ts";
import { KEPT_FOLDER, readKeptHeader } from "./groupFile.ts";
import type { KeptStep } from "./keptSteps.ts";

/** Whether a save is whole without this file. */
export const isSpare = (name: string): boolean => name.startsWith(KEPT_FOLDER);

/** The kept steps; what is in them is read when somebody asks for one. Files that are not what the manifest says are named alone. */
export function readKept(files: ReadonlyMap<string, Uint8Array>, { parts }: Pick<Manifest, "parts">): Pick<SavedState, "kept" | "lost"> {
  const kept: KeptStep[] = [];
  const lost: string[] = [];
  for (const [name, facts] of Object.entries(parts)) {
    if (!isSpare(name)) continue;
    try {
      const file = checkedPart(name, files.get(name), facts);
      kept.push({ step: readKeptHeader(file, name).step, file });
    } catch {
      lost.push(name);
    }
  }
  return { kept: kept.sort((a, b) => a.step - b.step), ...(lost.length > 0 ? { lost } : {}) };
}

/** More names than these are counted. */
const NAMED = 3;

/** What to say of a save's lost files; null where there are none. */
export function lostRemark(names: readonly string[] = []): string | null {
  if (names.length === 0) return null;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const [files, steps] =
    names.length === 1 ? ["1 file of kept rollouts is", "that step"] : [`${names.length} files of kept rollouts are`, "those steps"];
  const which = names.slice(0, NAMED).join(", ") + more;
  return `${files} damaged or missing (${which}): ${steps} cannot be looked at. Everything else of the saved run is here.`;
}
