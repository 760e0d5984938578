// Holds conversations for a training by TRL that runs elsewhere than where the lab started it.
import { defineVerb } from "../lab/verb.ts";

export const rollouts = defineVerb({
  name: "rollouts",
  help: "Hold conversations for a training by TRL, which starts this itself: prints where it answers, until its standard input ends.",
  operands: ["RUN"],
  options: {},
  async run({ operands }) {
    const { serveRollouts } = await import("../rollouts/serveRollouts.ts");
    return serveRollouts(operands[0]!);
  },
});
