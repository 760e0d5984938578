// The programs whose names are known. The first with a name that only it has is taken; TRL's table where none has.
import { type LogProgram, plainName, remembered } from "../log.ts";
import { commonRule } from "./common.ts";
import { mlx } from "./mlx.ts";
import { openRlhf } from "./openRlhf.ts";
import { primeRl } from "./primeRl.ts";
import { slime } from "./slime.ts";
import { tinker } from "./tinker.ts";
import { trl } from "./trl.ts";
import { trlPpo } from "./trlPpo.ts";
import { verl } from "./verl.ts";

const logPrograms: readonly LogProgram[] = [trl, slime, verl, tinker, primeRl, openRlhf, trlPpo, mlx];

/** The program that these names are of, and the name that told it; null where none did, and TRL's table is tried. */
export function programOf(names: readonly string[]): { readonly program: LogProgram; readonly mark: string | null } {
  for (const program of logPrograms) {
    const mark = names.find((name) => program.marks.some((pattern) => pattern.test(name)));
    if (mark !== undefined) return { program, mark };
  }
  return { program: trl, mark: null };
}

/** The program of an id that one of them has. */
export const programNamed = (id: string): LogProgram => logPrograms.find((program) => program.id === id) ?? trl;

/** Whether any program has a metric of this name. */
export const isKnownName = remembered((name) => {
  const plain = plainName(name);
  return (
    logPrograms.some(({ names }) => names.some(({ from }) => (typeof from === "string" ? from === plain : from.test(plain)))) ||
    commonRule(plain) !== null
  );
});
