// Compares runs at equal steps, tokens or updates.
import { defineVerb, READING_OPTIONS } from "../lab/verb.ts";

export const compare = defineVerb({
  name: "compare",
  help: "Compare two runs: how far apart, how sure, and what differs in their settings.",
  operands: ["RUN", "RUN"],
  options: {
    ...READING_OPTIONS,
    axis: { kind: "text", value: "AXIS", choices: ["steps", "tokens", "updates"], help: "At equal what they are compared (steps)." },
  },
  async run({ operands, options }) {
    const { findRecorded, readRecords } = await import("../folder/recordedRun.ts");
    const { compareSets, readingOf, refuseSame } = await import("../runs/compareRuns.ts");
    const folders = await Promise.all(operands.map(findRecorded));
    const sets = await Promise.all(folders.map(async (folder) => ({ label: folder.path, runs: [await readRecords(folder)] })));
    refuseSame(sets);
    return compareSets(sets, { ...readingOf(options), axis: options.axis ?? "steps" });
  },
});
