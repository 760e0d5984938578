// Haiku form, by a count of syllables. It takes a model that knows English.
import source from "../../../examples/templates/haiku.ts?raw";
import { BESIDE_SMOLLM2, type Template, withHeldOut } from "./template.ts";

const THINGS =
  "rain, the sea, autumn leaves, a cat, the moon, morning, a river, the wind, an old tree, a bird, night, spring, a garden, a fish, the sun, summer, a stone, clouds, a candle, a train, the city";

// The first three are those of the runs that were measured.
const HELD_OUT = "snow, a mountain, frost, a lake, thunder, a bee, the harvest, fog";

const question = "Write a haiku about rain. Three short lines, nothing else.";
const about = (things: string) => things.split(", ").map((thing) => ({ question: question.replace("rain", thing) }));
const RIGHT = "An old silent pond\nA frog jumps into the pond\nSplash silence again";

export const haiku: Template = {
  id: "haiku",
  title: "Haiku form",
  summary: "Asked for a haiku, the model is paid for three lines of 5, 7 and 5 syllables, and part of it for coming near.",
  lookFor:
    "How many lines there are, and how near their lengths come to 5, 7 and 5. What the lines say is not paid for: see where that goes.",
  measured: "Measured, three seeds: the reward goes from between 0.11 and 0.15 to 0.31, 0.57 and 0.76 in 8 steps; 1 is a whole haiku.",
  config: {
    ...BESIDE_SMOLLM2,
    task: "haiku",
    algorithm: "grpo",
    maxCompletionTokens: 32,
    promptsPerStep: 2,
    learningRate: 6e-4,
    steps: 8,
    evalEvery: 8,
    // Without one, rewards came from 0.03 to 0.2 or 0.3 in 12 steps, and no haiku was whole.
    examples: [{ question: question.replace("rain", "a frog"), answer: RIGHT }],
    customTasks: {
      haiku: {
        title: "Haiku form",
        problems: withHeldOut(about(THINGS), about(HELD_OUT)),
        solvedFrom: 0.8,
      },
    },
    customRewards: {
      form: {
        title: "Haiku form",
        source,
        cases: [
          { question, text: RIGHT, earns: 1 },
          { question, text: "Rain falls on the roof.", earns: { min: 0.2, max: 0.5 } },
          { question, text: `${RIGHT}\n${RIGHT}`, earns: 0 },
          { question, text: "", earns: 0 },
        ],
      },
    },
  },
};
