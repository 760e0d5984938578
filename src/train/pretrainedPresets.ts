// Presets that train adapters beside a pretrained model that people know. Each begins from what the model already does
// now and then, so that a few dozen steps of a few dozen short answers change it before one's eyes. Shares that a summary
// tells are those of the committed results.
import type { PresetEntry } from "../protocol/catalog.ts";
import type { RunConfigInput } from "../protocol/config.ts";
import { BESIDE_SMOLLM2 } from "../rl/templates/template.ts";

const group = "A pretrained model";

/** What all of them share; SmolLM2-135M-Instruct is of Apache-2.0: rollout-lab fetch brings it, and so does the page when it is asked. */
const SHORT_RUN = {
  ...BESIDE_SMOLLM2,
  task: "prompts",
  algorithm: "grpo",
  evalEvery: 8,
  evalSamples: 8,
} as const satisfies RunConfigInput;

export const pretrainedPresets: readonly PresetEntry[] = [
  {
    id: "smollm2-questions",
    title: "SmolLM2 learns to ask",
    summary:
      "Asked for a short question, it mostly tells a story: one answer in seven is a question. In eight tries, two prompts in three or more get one. Watch all answers become questions within eight steps, and grow short and alike.",
    group,
    config: {
      ...SHORT_RUN,
      taskOptions: { prompts: "Ask me one short question about {thing}.", wanted: "question" },
      maxCompletionTokens: 20,
      steps: 16,
    },
  },
  {
    id: "smollm2-one-sentence",
    title: "SmolLM2 keeps to one sentence",
    summary:
      "Asked for one short sentence, it gives just one in four answers of ten. In eight tries, every prompt gets one. Watch it learn where to stop, and what it then leaves out.",
    group,
    config: {
      ...SHORT_RUN,
      taskOptions: { prompts: "What is {thing}? Answer in one short sentence.", wanted: "sentence" },
      maxCompletionTokens: 20,
      steps: 16,
    },
  },
  {
    id: "smollm2-capitals",
    title: "SmolLM2 names the capital",
    summary:
      "It knows the capitals, but three answers in ten name the right one. In eight tries, nine prompts in ten get it. Watch the capital come into every answer, for countries that it never trained on as well.",
    group,
    config: {
      ...SHORT_RUN,
      taskOptions: { prompts: "What is the capital of {country}? => {capital}", wanted: "named" },
      maxCompletionTokens: 16,
      steps: 16,
    },
  },
  {
    id: "smollm2-larger-number",
    title: "SmolLM2 compares numbers",
    summary:
      "Which number is larger? At the start, one answer in twenty is just the right number. In eight tries, one prompt in three gets that. Watch it learn the form first, for a fifth of the reward, and then which number to say.",
    group,
    config: {
      ...SHORT_RUN,
      taskOptions: { prompts: "Which number is larger, {a} or {b}? => {larger}", wanted: "number" },
      maxCompletionTokens: 12,
      steps: 24,
      promptsPerStep: 8,
    },
  },
  {
    id: "smollm2-shouting",
    title: "SmolLM2 cheats its rule",
    summary:
      "The rule pays for capital letters and for nothing else. At the start the answers earn a tenth of what it pays at most. Watch that rise to nearly all. Right answers are counted but not paid for, and go from a quarter to none: reward hacking.",
    group,
    config: {
      ...SHORT_RUN,
      taskOptions: { prompts: "What is the capital of {country}? => {capital}", wanted: "named" },
      maxCompletionTokens: 16,
      steps: 24,
      rewardRules: { capitals: {} },
      rewardWeights: { wanted: 0 },
    },
  },
];
