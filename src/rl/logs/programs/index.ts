// The programs whose names are known. The first with a name that only it has is taken; TRL's table where none has.
import type { LogProgram } from "../log.ts";
import { openRlhf } from "./openRlhf.ts";
import { primeRl } from "./primeRl.ts";
import { tinker } from "./tinker.ts";
import { trl } from "./trl.ts";
import { verl } from "./verl.ts";

export const logPrograms: readonly LogProgram[] = [trl, verl, tinker, primeRl, openRlhf];

/** The program that these names are of, and the name that told it; null where none did, and TRL's table is tried. */
export function programOf(names: readonly string[]): { readonly program: LogProgram; readonly mark: string | null } {
  for (const program of logPrograms) {
    const mark = names.find((name) => program.marks.some((pattern) => pattern.test(name)));
    if (mark !== undefined) return { program, mark };
  }
  return { program: trl, mark: null };
}
