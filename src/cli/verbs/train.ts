// Trains a run from a configuration file, or goes on with one.
import { defineVerb } from "../lab/verb.ts";
import { trainOptions } from "./train/trainOptions.ts";

export const train = defineVerb({
  name: "train",
  help: "Train a configuration; prints what it reached and where the run lies.",
  operands: ["CONFIG"],
  options: trainOptions,
  async run(call) {
    if (call.options.resume) return (await import("./train/resumeRun.ts")).resumeRun(call);
    return (await import("./train/beginRun.ts")).beginRun(call);
  },
});
