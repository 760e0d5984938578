// Training on worked examples makes them likelier, so that its loss, the mean surprise at their tokens, comes down. Where it goes up, a
// step is longer than the slope that it follows holds.
import { measureText } from "../../protocol/quantities.ts";
import { type Diagnosis, thirdOf } from "./diagnosis.ts";
import { thirdsOf } from "./recent.ts";

export const lossRises: Diagnosis = {
  id: "loss-rises",
  title: "The loss rises",
  explains:
    "The loss of supervised training is how surprised the model is by the worked examples, in nats a token. Each step is meant to bring it down. Steps that are too long jump over the low places, and the model gets worse at what it is shown.",
  isSupervised: true,
  find(run) {
    const rise = thirdsOf(run, "loss").rise ?? thirdsOf(run, "loss", "middle").rise;
    if (!rise) return null;
    const { learningRate } = run.config;
    return {
      isCause: true,
      remedy: learningRate === undefined ? null : { settings: { learningRate: thirdOf(learningRate) } },
      evidence: `The loss went from ${measureText(rise.from.value)} nats a token (mean of steps ${rise.from.first} to ${rise.from.last}) to ${measureText(rise.to.value)} (steps ${rise.to.first} to ${rise.to.last})${learningRate === undefined ? "" : `, at a learning rate of ${learningRate}`}.`,
      tries: ["A third or a tenth of the learning rate.", "A warm-up, or a smaller gradient clip.", "More worked examples in a step."],
    };
  },
};
