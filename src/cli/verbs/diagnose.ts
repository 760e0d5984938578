// Reads a log that another program wrote, and says what is wrong with the run, what only looks so, and what the log cannot decide.
import { defineVerb } from "../lab/verb.ts";

export const diagnoseVerb = defineVerb({
  name: "diagnose",
  help: "Name the cause in a log of TRL, verl, OpenRLHF, Unsloth, Tinker or prime-rl: lines, tables, CSV, trainer_state.json, TensorBoard or MLflow files; - reads standard input.",
  operands: ["FILE"],
  options: {},
  async run({ operands }) {
    const { readGiven } = await import("../logs/logFiles.ts");
    const { logReport } = await import("../logs/logReport.ts");
    return logReport(operands[0]!, await readGiven(operands[0]!));
  },
});
