// Shows what a trained policy says.
import { CHECKPOINT, DEVICE_TO_LOOK, type Device, defineVerb } from "../lab/verb.ts";

export const sample = defineVerb({
  name: "sample",
  help: "Sample conversations from a run: held-out problems with their rewards, or a prompt of yours.",
  operands: ["RUN"],
  options: {
    n: { kind: "integer", value: "N", min: 1, max: 1024, help: "Conversations (5)." },
    seed: { kind: "integer", value: "N", min: 0, max: 4_294_967_295, help: "Seed of the draws (the run's)." },
    prompt: { kind: "text", value: "TEXT", help: "Asked in place of held-out problems." },
    temperature: { kind: "text", value: "T", help: "Temperature of the draws (the run's); 0 takes the likeliest token." },
    checkpoint: CHECKPOINT,
    device: DEVICE_TO_LOOK,
  },
  async run({ operands, options, progress }) {
    const { sampleRun } = await import("../runs/sampleRun.ts");
    return sampleRun(
      {
        path: operands[0]!,
        which: options.checkpoint === "best" ? "best" : "last",
        device: options.device as Device | undefined,
        progress,
      },
      { ...options, n: options.n ?? 5 },
    );
  },
});
