// Compares runs at equal steps, tokens or updates.
import { isSame } from "../../protocol/config/configFacts.ts";
import type { Axis } from "../../rl/race/axis.ts";
import { CommandError } from "../lab/exit.ts";
import { defineVerb } from "../lab/verb.ts";
import type { RunSet } from "../runs/compareRuns.ts";

/** Throws where one run stands on both sides, in its folder, a copy or a file: no other takes the same time to the last digit. */
function refuseSame([one, other]: readonly RunSet[]): void {
  if (!one || !other) return;
  const isCopy = one.runs[0]?.steps.length !== 0 && isSame(one.runs[0]?.steps, other.runs[0]?.steps);
  if (!isCopy && one.label !== other.label) return;
  const both = one.label === other.label ? `${one.label} twice` : `${one.label} and ${other.label}, which are the same one`;
  throw new CommandError(`compare needs two runs, got ${both}: rollout-lab list shows those there are`);
}

export const compare = defineVerb({
  name: "compare",
  help: "Compare two runs: how far apart, how sure, and what differs in their settings.",
  operands: ["RUN", "RUN"],
  options: {
    axis: { kind: "text", value: "AXIS", choices: ["steps", "tokens", "updates"], help: "At equal what they are compared (steps)." },
  },
  async run({ operands, options }) {
    const { findRecorded, readRecords } = await import("../folder/recordedRun.ts");
    const { compareSets } = await import("../runs/compareRuns.ts");
    const folders = await Promise.all(operands.map(findRecorded));
    const sets = await Promise.all(folders.map(async (folder) => ({ label: folder.path, runs: [await readRecords(folder)] })));
    refuseSame(sets);
    return compareSets(sets, (options.axis ?? "steps") as Axis);
  },
});
