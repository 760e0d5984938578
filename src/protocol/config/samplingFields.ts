// Which problems a step asks, what stands before them, and how answers are sampled: a section of the run configuration (config.ts).
import { z } from "../zod.ts";
import { choice, declare, integer, number, section } from "./field.ts";
import { FIXED_LENGTH, SUPERVISED } from "./noEffect.ts";

/** Most examples, and most letters of a side of one. */
const MOST = 16;
const LONGEST = 4_000;

const exampleSchema = z.strictObject({ question: z.string().min(1).max(LONGEST), answer: z.string().min(1).max(LONGEST) });

/**
 * Examples that a policy is shown before each question (one-shot, few-shot): messages like any others, so rollouts,
 * exports and links have them as they were sent. In the order in which they are shown.
 */
const examplesField = declare(
  z.array(exampleSchema).max(MOST).default([]),
  "Examples shown first",
  "Questions with answers that are shown before each question, as turns of the conversation, both in training and in evaluations.",
  { fixed: true },
);

export const samplingFields = section("sampling", {
  promptsPerStep: integer(1, 256, 8, "Prompts per step", "Problems drawn for one step.", { noEffect: [SUPERVISED] }),
  groupSize: integer(2, 128, 8, "Group size", "Completions sampled for each prompt (G); advantages are relative to this group.", {
    noEffect: [SUPERVISED],
    compared: true,
  }),
  maxCompletionTokens: integer(1, 2048, 16, "Completion limit", "Most tokens the policy may sample for one completion.", {
    unit: "tokens",
    inReward: true,
    inObjective: true,
    noEffect: [FIXED_LENGTH],
  }),
  maxTurns: integer(
    0,
    64,
    0,
    "Most turns",
    "Most turns of the policy in one conversation; 0 leaves it to the task. The task's rules may end a conversation sooner.",
    {
      advanced: true,
      fixed: true,
      noEffect: [{ when: { "task.severalTurns": false }, why: "a conversation of this task has one turn" }],
    },
  ),
  trainLimit: integer(
    0,
    1_000_000,
    0,
    "Training problems",
    "Trains on only this many problems, the first ones, at every step; 0 trains on all.",
    {
      advanced: true,
      fixed: true,
    },
  ),
  trainOrder: choice(
    ["draws", "epochs"],
    "draws",
    "Order of problems",
    "Each step draws its problems at random, or every problem comes once in each epoch, in a new order.",
    { advanced: true, fixed: true, titles: { draws: "Drawn anew", epochs: "Each once an epoch" } },
  ),
  longProblems: choice(
    ["refuse", "leave-out"],
    "refuse",
    "Problems that are too long",
    "What to do if a problem and its completion do not fit into the model's context: refuse the list before the run begins, or leave such problems out and count them. Endless tasks and your own environments always leave them out and count them.",
    { advanced: true, fixed: true, titles: { refuse: "Say so before the run", "leave-out": "Leave them out" } },
  ),
  examples: examplesField,
  temperature: number(0.05, 5, 1, "Temperature", "Divides the logits when sampling and when scoring.", { live: true }),
  topK: integer(0, 4096, 0, "Top-k", "Sample among the k most likely tokens; 0 turns it off.", { advanced: true }),
  topP: number(0.01, 1, 1, "Top-p", "Sample among the most likely tokens whose probabilities reach p; 1 turns it off.", {
    advanced: true,
  }),
  minP: number(0, 1, 0, "Min-p", "Drop tokens less likely than this share of the most likely one; 0 turns it off.", { advanced: true }),
});
