// Shows what a trained policy says.
import { CommandError } from "../lab/exit.ts";
import { defineVerb, OPTIONS_TO_LOOK } from "../lab/verb.ts";

/** Tokens of a completion where no run says how many. */
const LONGEST_ALONE = 200;

export const sample = defineVerb({
  name: "sample",
  help: "Sample conversations from a run, the start of a configuration or a pretrained model: held-out problems with their rewards, or a prompt of yours.",
  operands: ["[RUN]"],
  options: {
    n: { kind: "integer", value: "N", min: 1, max: 1024, help: "Conversations (5)." },
    seed: { kind: "integer", value: "N", min: 0, max: 4_294_967_295, help: "Seed of the draws (the run's)." },
    prompt: { kind: "text", value: "TEXT", help: "Asked in place of held-out problems." },
    temperature: { kind: "text", value: "T", help: "Temperature of the draws (the run's); 0 takes the likeliest token." },
    "max-tokens": {
      kind: "integer",
      value: "N",
      min: 1,
      max: 1024,
      help: "Longest completion, in tokens (the run's; 200 where a model alone is asked).",
    },
    ...OPTIONS_TO_LOOK,
  },
  async run({ operands, options, progress }) {
    if (operands.length === 0 && (options.model === undefined || options.prompt === undefined))
      throw new CommandError("sample needs RUN, or --model MODEL with --prompt TEXT");
    const longest = options["max-tokens"] ?? (operands.length === 0 ? LONGEST_ALONE : undefined);
    const { openingOf } = await import("../runs/openRun.ts");
    const { sampleRun } = await import("../runs/sampleRun.ts");
    const settings = longest === undefined ? {} : { maxCompletionTokens: longest };
    return sampleRun(await openingOf(operands[0], options, { settings, progress }), { ...options, n: options.n ?? 5 });
  },
});
