// Asks a trained policy the held-out problems.
import { CHECKPOINT, DEVICE_TO_LOOK, type Device, defineVerb, MODEL_TO_LOOK } from "../lab/verb.ts";

export const evaluateVerb = defineVerb({
  name: "eval",
  help: "Evaluate a run, or the start of a configuration, on held-out problems: greedy and sampled accuracy, pass@k, intervals, baselines.",
  operands: ["RUN"],
  options: {
    n: { kind: "integer", value: "N", min: 1, max: 2048, help: "Held-out problems; by default as many as in the run's evaluations." },
    samples: { kind: "integer", value: "N", min: 1, max: 64, help: "Completions sampled for each problem." },
    model: MODEL_TO_LOOK,
    checkpoint: CHECKPOINT,
    device: DEVICE_TO_LOOK,
  },
  async run({ operands, options, progress }) {
    const { chosenModel } = await import("../models/modelPlaces.ts");
    const { evaluateRunFolder } = await import("../runs/evaluateRunFolder.ts");
    const { n, samples, model, checkpoint, device } = options;
    const settings = { ...(n === undefined ? {} : { evalProblems: n }), ...(samples === undefined ? {} : { evalSamples: samples }) };
    return evaluateRunFolder({
      path: operands[0]!,
      model: model === undefined ? undefined : await chosenModel(model),
      which: checkpoint === "best" ? "best" : "last",
      device: device as Device | undefined,
      settings,
      progress,
    });
  },
});
