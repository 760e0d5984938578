// TRL's completions: what GRPOTrainer writes with log_completions, a Parquet file a step. Every number that is not known by its name is a
// reward function's; weights are not written.
import { flatRollout } from "../columns/flatRollout.ts";
import type { TraceForm } from "./form.ts";

export const trl: TraceForm = {
  id: "trl",
  title: "TRL's completions",
  matches: (row) => ["step", "prompt", "completion", "advantage"].every((key) => Object.hasOwn(row, key)),
  roles: { names: { step: "step", prompt: "prompt", completion: "completion", advantage: "advantage" }, numbers: "part" },
  read: (row, reading) => [flatRollout(row, reading)],
};
