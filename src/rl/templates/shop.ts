// Two tools in a row: what one says has to be handed to the other. It takes a model that goes by examples.
import source from "../../../examples/templates/shop.ts?raw";
import { BESIDE_SMOLLM2, type Template } from "./template.ts";

export const shop: Template = {
  id: "shop",
  title: "A shop with two tools",
  summary: "The model asks for a price with one tool, pays it with another, and is shown once how that goes.",
  lookFor: "Whether it asks before it pays, whether what it pays is what it was told, and what else it says beside a call.",
  measured: "Measured, three seeds: right purchases go from none or one in 16 to 81, 94 and 100 % in 8 steps.",
  config: {
    ...BESIDE_SMOLLM2,
    task: "shop",
    algorithm: "grpo",
    maxCompletionTokens: 10,
    promptsPerStep: 3,
    learningRate: 5e-4,
    steps: 8,
    evalEvery: 8,
    examples: [
      { question: "Buy a bell.", answer: "PRICE bell" },
      { question: "It costs 23 coins.", answer: "PAY 23" },
    ],
    customTasks: {
      shop: {
        title: "A shop with two tools",
        system: "You buy things in a shop. Write PRICE and the thing to hear what it costs, then PAY and the amount. Write nothing else.",
        environment: { source, turns: 3, calls: 0 },
      },
    },
  },
};
