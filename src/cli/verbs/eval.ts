// Asks a trained policy the held-out problems.
import { defineVerb, OPTIONS_TO_LOOK } from "../lab/verb.ts";

export const evaluateVerb = defineVerb({
  name: "eval",
  help: "Evaluate a run, or the start of a configuration, on held-out problems: greedy and sampled accuracy, pass@k, intervals, baselines.",
  operands: ["RUN"],
  options: {
    n: { kind: "integer", value: "N", min: 1, max: 2048, help: "Held-out problems; by default as many as in the run's evaluations." },
    samples: { kind: "integer", value: "N", min: 1, max: 64, help: "Completions sampled for each problem." },
    ...OPTIONS_TO_LOOK,
  },
  async run({ operands, options, progress }) {
    const { openingOf } = await import("../runs/openRun.ts");
    const { evaluateRunFolder } = await import("../runs/evaluateRunFolder.ts");
    const { n, samples } = options;
    const settings = { ...(n === undefined ? {} : { evalProblems: n }), ...(samples === undefined ? {} : { evalSamples: samples }) };
    return evaluateRunFolder(await openingOf(operands[0], options, { settings, progress }));
  },
});
