// The configuration of a run: one flat, fully resolved record, checked at every edge (URL, file,
// worker message, command line). Each field carries its range, default, title, help and facts in
// the schema itself; forms and the catalog (fields.ts), lists and types (configFacts.ts) follow from it.

import { adapterFields } from "./config/adapterFields.ts";
import { advantageFields, criticFields } from "./config/advantageFields.ts";
import { customRewardsField, rewardTransformField } from "./config/customRewards.ts";
import { choice, declare, flag, integer, number, section, text } from "./config/field.ts";
import { CONFIG_VERSION } from "./config/migrations.ts";
import { NO_EVALUATION, ON_SERVER, REINFORCEMENT, SUPERVISED, TABULAR } from "./config/noEffect.ts";
import { klFields, objectiveFields } from "./config/objectiveFields.ts";
import { samplingFields } from "./config/samplingFields.ts";
import { serverFields } from "./config/serverFields.ts";
import { customTasksField } from "./custom/customTasks.ts";
import { judgesField } from "./custom/judges.ts";
import { LONGEST_MODEL_NAME, MODEL_NAME_RULE, readModelName } from "./models/modelName.ts";
import { keepingFields } from "./run/keepingFields.ts";
import { z } from "./zod.ts";

/** What kind of training a run does. */
const RUN_KINDS = ["reinforcement", "supervised"] as const;

const value = z.union([z.number(), z.string(), z.boolean()]);

const SHAPE_GIVEN = "the model's shape is given by its checkpoint or table";
const ofShape = {
  advanced: true,
  fixed: true,
  noEffect: [
    { when: { model: "tabular" }, why: SHAPE_GIVEN },
    { when: { startFrom: "checkpoint" }, why: SHAPE_GIVEN },
  ],
} as const;
const ofAdam = {
  advanced: true,
  noEffect: [{ when: { optimizer: "sgd" }, why: "plain gradient descent has neither moments nor decay" }],
} as const;
/** What computes, as people read it. */
export const BACKEND_TITLES: Readonly<Record<string, string>> = {
  auto: "Automatic",
  wasm: "WebAssembly",
  webgpu: "WebGPU",
  "tfjs-wasm": "TensorFlow.js, WebAssembly",
  "tfjs-webgpu": "TensorFlow.js, WebGPU",
  tinker: "On a server",
};
const NO_CHECKPOINT = "no checkpoint is loaded";
const NOT_FALLING = "the learning rate does not fall";

export const runConfigSchema = z.strictObject({
  ...section("run", {
    version: declare(
      z.literal(CONFIG_VERSION).default(CONFIG_VERSION),
      "Version",
      "Version of this format; older ones are brought up to date.",
      { fixed: true },
    ),

    kind: choice(
      RUN_KINDS,
      "reinforcement",
      "Run kind",
      "Reinforcement learning from rewards, or supervised training on worked examples.",
      { fixed: true, titles: { reinforcement: "Reinforcement learning" } },
    ),
    task: text("digit-sum", "Task", "What the policy is asked to do; see the catalog for the list.", { fixed: true, inReward: true }),
    taskOptions: declare(
      z.record(z.string(), value).default({}),
      "Task options",
      "Settings of the task itself; see the catalog for each task's fields.",
      { fixed: true, inReward: true },
    ),
    rewardWeights: declare(
      z.record(z.string(), z.number().min(-10).max(10)).default({}),
      "Reward weights",
      "Weight of each named reward part; a part that is not listed keeps its default weight, 0 makes it a metric only.",
      { live: true, inReward: true },
    ),
    rewardRules: declare(
      z.record(z.string(), z.record(z.string(), value)).default({}),
      "More rewards",
      "Reward rules beside the task's own, by name, each with its settings; those that are left out have their defaults.",
      { live: true, inReward: true },
    ),
    customRewards: customRewardsField,
    judges: judgesField,
    rewardTransform: rewardTransformField,
    customTasks: customTasksField,
    rewardGates: declare(
      z.record(z.string(), z.number().min(-10).max(10)).default({}),
      "Reward gates",
      "By name of a reward part: the total where that part is below 1, whatever the other parts say.",
      { live: true, inReward: true },
    ),
    algorithm: text("grpo", "Algorithm", "Preset of the switches below, named after its paper.", {
      noEffect: [SUPERVISED],
      compared: true,
    }),
    steps: integer(0, 100_000, 100, "Steps", "Stop after this many updates; 0 runs until stopped.", { live: true }),
    seed: integer(
      0,
      4_294_967_295,
      0,
      "Seed",
      "Same configuration, seed and backend give the same run; on WASM to the bit, with the same build of the kernels as it was measured (fused or not).",
      { fixed: true, compared: true },
    ),
  }),

  ...section("model", {
    model: choice(
      ["tabular", "transformer"],
      "transformer",
      "Model",
      "A logits table with one categorical per position, or a Llama-architecture transformer.",
      { fixed: true, titles: { tabular: "Logits table" } },
    ),
    startFrom: choice(
      ["checkpoint", "random", "run"],
      "checkpoint",
      "Start from",
      "The shipped warm start, freshly drawn weights, or those of the run before.",
      {
        fixed: true,
        titles: { random: "Random weights", run: "The run before" },
        noEffect: [{ when: { model: "tabular" }, why: "the tabular policy always starts uniform" }],
      },
    ),
    checkpoint: declare(
      z
        .string()
        .min(1)
        .max(LONGEST_MODEL_NAME, { abort: true })
        .refine((name) => readModelName(name) !== null, MODEL_NAME_RULE)
        .default("base"),
      "Checkpoint",
      "Which model to start from: a folder of models/ by its name, or OWNER/NAME or OWNER/NAME@REVISION of the Hugging Face hub once it was brought; on the command line also a path.",
      {
        fixed: true,
        noEffect: [
          { when: { model: "tabular" }, why: NO_CHECKPOINT },
          { when: { startFrom: ["random", "run"] }, why: NO_CHECKPOINT },
        ],
      },
    ),
    hiddenSize: integer(8, 1024, 64, "Width", "Width of the residual stream; used with random weights.", ofShape),
    layers: integer(1, 24, 2, "Layers", "Number of transformer blocks; used with random weights.", ofShape),
    heads: integer(1, 32, 4, "Heads", "Attention heads; must divide the width; used with random weights.", ofShape),
    kvHeads: integer(
      1,
      32,
      4,
      "Key/value heads",
      "Heads of keys and values (grouped-query attention); must divide heads; used with random weights.",
      ofShape,
    ),
    intermediateSize: integer(8, 4096, 176, "Feed-forward width", "Inner width of the SwiGLU block; used with random weights.", ofShape),
  }),

  ...adapterFields,

  ...samplingFields,
  ...advantageFields,
  ...objectiveFields,
  ...klFields,
  ...criticFields,

  ...section("optimizer", {
    optimizer: choice(["adamw", "sgd"], "adamw", "Optimizer", "AdamW with decoupled decay, or plain gradient descent.", {
      titles: { adamw: "AdamW", sgd: "Gradient descent" },
    }),
    learningRate: number(0, 10, 1e-3, "Learning rate", "Step size at the top of the schedule.", { live: true, compared: true }),
    schedule: choice(["constant", "linear", "cosine"], "constant", "Schedule", "How the learning rate falls after warm-up.", {
      noEffect: [{ when: { steps: 0 }, why: "a run without a last step has nothing to fall towards" }],
    }),
    warmupSteps: integer(0, 10_000, 0, "Warm-up", "Steps over which the learning rate rises from 0.", { unit: "steps" }),
    finalLearningRateShare: number(0, 1, 0, "Final share", "Share of the learning rate left at the last step of a falling schedule.", {
      advanced: true,
      noEffect: [
        { when: { schedule: "constant" }, why: NOT_FALLING },
        { when: { steps: 0 }, why: NOT_FALLING },
      ],
    }),
    beta1: number(0, 0.9999, 0.9, "β1", "Decay of the first moment.", ofAdam),
    beta2: number(0, 0.99999, 0.999, "β2", "Decay of the second moment.", ofAdam),
    adamEps: number(1e-12, 1e-2, 1e-8, "Adam ε", "Added to the root of the second moment.", ofAdam),
    weightDecay: number(0, 1, 0, "Weight decay", "Decoupled decay of all weights.", ofAdam),
    maxGradNorm: number(
      0,
      1000,
      1,
      "Gradient clip",
      "Largest global gradient norm; 0 turns clipping off. A server is asked to clip so; not every one does, or tells the norm.",
    ),
    demonstrationsPerStep: integer(1, 1024, 32, "Supervised batch", "Worked examples in one supervised step.", {
      noEffect: [REINFORCEMENT],
    }),
    demonstrationNoise: number(
      0,
      1,
      0.1,
      "Supervised noise",
      "Share of worked examples with a wrong answer in the right form, so that the warm start leaves room to learn.",
      { noEffect: [REINFORCEMENT] },
    ),
    microBatchTokens: integer(
      64,
      65_536,
      2048,
      "Micro-batch",
      "Tokens whose activations are kept at once; smaller needs less memory, the result is the same.",
      { unit: "tokens", advanced: true, live: true, noEffect: [TABULAR, ON_SERVER] },
    ),
  }),

  ...section("evaluation", {
    evalEvery: integer(0, 10_000, 10, "Evaluate every", "Steps between evaluations on held-out problems; 0 never.", {
      unit: "steps",
      live: true,
    }),
    evalProblems: integer(1, 2048, 64, "Problems", "Held-out problems in one evaluation.", { live: true, noEffect: [NO_EVALUATION] }),
    evalSamples: integer(1, 64, 4, "Samples per problem", "Completions sampled for each problem, for sampled accuracy and pass@k.", {
      live: true,
      noEffect: [NO_EVALUATION],
    }),
  }),

  ...section("run", {
    changes: declare(
      z
        // Without limits: a run that goes on for ever can be changed at any step, and as often as somebody likes.
        .array(
          z.strictObject({
            afterStep: z.int().min(0),
            settings: z.record(z.string(), z.union([value, z.record(z.string(), z.unknown())])),
          }),
        )
        .default([]),
      "Changes on the way",
      "Settings that take other values once so many steps are done: what was changed live, and where a fork leaves its run.",
      { fixed: true },
    ),
  }),

  ...section("engine", {
    backend: choice(
      ["auto", "wasm", "webgpu", "tfjs-wasm", "tfjs-webgpu", "tinker"],
      "auto",
      "Backend",
      "Where tensors live; auto measures and says why it chose, tinker is a server that speaks the Tinker API.",
      { advanced: true, fixed: true, noEffect: [TABULAR], titles: BACKEND_TITLES },
    ),
    threads: integer(0, 64, 0, "Threads", "Worker threads of the WASM engine; 0 uses the cores.", {
      advanced: true,
      aside: true,
      fixed: true,
      noEffect: [TABULAR, ON_SERVER],
    }),
    reproducible: flag(true, "Reproducible", "On WASM, same bits whatever the number of threads.", {
      advanced: true,
      fixed: true,
      noEffect: [TABULAR, ON_SERVER],
    }),
    measureUpdate: flag(true, "Measure the update", "Score each step's tokens once more after the update, for the change of log-prob.", {
      advanced: true,
      live: true,
      noEffect: [SUPERVISED],
    }),
    splitGradNormEvery: integer(
      0,
      10_000,
      0,
      "Split the gradient norm",
      "Measure the gradient of the policy, KL, entropy and value parts of the loss apart, every this many steps; each part costs one backward pass. 0 never.",
      { unit: "steps", advanced: true, live: true, noEffect: [SUPERVISED] },
    ),
  }),
  ...serverFields,
  ...keepingFields,
});

/** A checked, fully resolved run configuration. */
export type RunConfig = z.output<typeof runConfigSchema>;
/** What a caller may give: any subset of the fields. */
export type RunConfigInput = z.input<typeof runConfigSchema>;
/** Name of a configuration field. */
export type RunConfigKey = keyof RunConfig;
