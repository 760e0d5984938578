// The work of one GRPO step of a pretrained model, the same for every peer: SmolLM2-135M's shape, adapters of rank 8 on all
// projections. Ours reads the GGUF file named by SMOLLM2_GGUF; without one, and in PyTorch, weights are drawn, on which
// time does not depend.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../../scripts/environment.mjs";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { readStoredFolder } from "../../../src/model/folder/checkpoint.ts";
import type { StoredTensors } from "../../../src/model/folder/ggmlTypes.ts";
import { initialWeights } from "../../../src/model/initialWeights.ts";
import { adaptedLayout, LORA_TARGETS } from "../../../src/model/lora/adapters.ts";
import { storedWeights } from "../../../src/model/lora/frozenBase.ts";
import { parameterLayout, type TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { findTorch, speak } from "../../peers/start/startPython.ts";
import type { StepSeconds } from "../../report/result.ts";
import { median } from "../../report/statistics.ts";
import { OPTIMIZER } from "../inputs.ts";

const RANK = 8;

/** SmolLM2-135M-Instruct. */
export const SHAPE: TransformerConfig = {
  ...{ vocabularySize: 49152, hiddenSize: 576, layers: 30, heads: 9, kvHeads: 3, headSize: 64, intermediateSize: 1536 },
  ...{ ropeTheta: 100_000, rmsNormEps: 1e-5, tiedEmbeddings: true, qkvBias: false, headNorm: false, maxPositions: 2048, valueHead: false },
};

export const ADAPTED = adaptedLayout(SHAPE, { rank: RANK, alpha: 2 * RANK, rankStabilized: false, targets: LORA_TARGETS["all-linear"] });

export interface StepWork {
  readonly prompts: number;
  readonly promptTokens: number;
  /** Completions of each prompt, none of which ends early. */
  readonly copies: number;
  readonly newTokens: number;
  /** Rows of a micro-batch at most. */
  readonly microBatchTokens: number;
}

/** Two prompts with their completions in a micro-batch, one for each of two threads. */
export const TAB_STEP: StepWork = { prompts: 4, promptTokens: 40, copies: 4, newTokens: 48, microBatchTokens: 512 };

const promptsOf = ({ prompts, promptTokens }: StepWork) =>
  Array.from({ length: prompts }, (_, p) => Array.from({ length: promptTokens }, (_, i) => (p * 997 + i * 131) % SHAPE.vocabularySize));

export interface Base {
  readonly tensors: StoredTensors;
  readonly from: string;
}

/** The base, and where it is from. */
export async function baseOf(): Promise<Base> {
  const path = process.env.SMOLLM2_GGUF;
  if (!path) {
    const values = await initialWeights(SHAPE, new Random(1), async () => {});
    return {
      tensors: storedWeights({ layout: parameterLayout(SHAPE), values }),
      from: "drawn weights in F32 (SMOLLM2_GGUF names no file)",
    };
  }
  const { ggufConfig } = await import("../../../src/model/folder/ggufModel.ts");
  const { readGguf } = await import("../../../src/model/folder/gguf.ts");
  const bytes = new Uint8Array(await readFile(path));
  const files: Readonly<Record<string, () => Uint8Array>> = {
    "config.json": () => new TextEncoder().encode(ggufConfig(readGguf(bytes))),
    "model.gguf": () => bytes,
  };
  const { tensors } = await readStoredFolder(async (name) => {
    const file = files[name];
    if (!file) throw new Error(`${name} is missing`);
    return file();
  });
  return { tensors, from: `the GGUF file, ${tensors.get("model.layers.0.mlp.up_proj.weight")?.type.name}` };
}

/** One step of ours: rollout, then forward, backward and AdamW over the adapters. */
export async function ownStep(backend: TransformerBackend, work: StepWork, random: Random): Promise<StepSeconds> {
  const { copies, newTokens } = work;
  const prompts = promptsOf(work);
  const uniforms_BT = Float32Array.from({ length: prompts.length * copies * newTokens }, () => random.uniform());
  const rule = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const began = performance.now();
  const { tokens_BT } = await sampleCompletions(backend, { prompts, copies, maxNewTokens: newTokens, ...rule, uniforms_BT });
  const sampled = performance.now();
  const completion = (b: number) => Array.from(tokens_BT.subarray(b * newTokens, (b + 1) * newTokens));
  const groups = prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: copies }, (_, c) => completion(p * copies + c)),
  }));
  const objective = ({ logprobs_K }: { readonly logprobs_K: Float32Array }) => ({
    ...{ logprobs_K: logprobs_K.map((_, k) => Math.sin(k) / logprobs_K.length), entropies_K: null, values_K: null },
  });
  await backend.accumulate(packGroups(groups, 1), objective, work.microBatchTokens);
  await backend.step({ ...OPTIMIZER, learningRate: 1e-4 });
  return { sampling: (sampled - began) / 1000, update: (performance.now() - sampled) / 1000 };
}

/** Thousand million operations of our step, by products with the base alone; prompts are shared, so others do more. */
export function operations({ prompts, promptTokens, copies, newTokens }: StepWork): StepSeconds {
  const { hiddenSize: D, layers, heads, kvHeads, headSize, intermediateSize: F, vocabularySize: V } = SHAPE;
  const blocks = layers * (2 * D * heads * headSize + 2 * D * kvHeads * headSize + 3 * D * F);
  const sequences = prompts * copies;
  const rows = prompts * promptTokens + sequences * (newTokens - 1);
  const scored = prompts + sequences * (newTokens - 1);
  return {
    sampling: (2 * (rows * blocks + sequences * newTokens * D * V)) / 1e9,
    update: (4 * rows * blocks + 4 * scored * D * V) / 1e9,
  };
}

const shapeForPython = {
  ...{ vocab_size: SHAPE.vocabularySize, hidden_size: SHAPE.hiddenSize, num_hidden_layers: SHAPE.layers },
  ...{ num_attention_heads: SHAPE.heads, num_key_value_heads: SHAPE.kvHeads, intermediate_size: SHAPE.intermediateSize },
  ...{ rms_norm_eps: SHAPE.rmsNormEps, rope_theta: SHAPE.ropeTheta, tie_word_embeddings: true },
};

/** PyTorch's side, ready to take steps on "cpu" or "cuda"; or why there is none. */
export async function startPeft(work: StepWork, threads: number, device: "cpu" | "cuda") {
  const found = findTorch();
  if (typeof found === "string") return found;
  const env = { ...process.env, OMP_NUM_THREADS: String(threads) };
  const child = spawn(found.command, [join(projectRoot, "bench/peers/peft_step.py")], { stdio: ["pipe", "pipe", "pipe"], env });
  const ask = speak(child);
  const request = { rank: RANK, copies: work.copies, tokens: work.newTokens, prompts: promptsOf(work), shape: shapeForPython };
  try {
    await ask({ do: "prepare", threads, device, ...request });
  } catch (error) {
    child.kill();
    return error instanceof Error ? error.message : String(error);
  }
  return { step: async () => (await ask({ do: "step" })) as unknown as StepSeconds, close: () => child.kill(), version: found.torch };
}

/** Medians over rounds, ours and PyTorch's, or why that is left out. */
export function resultOf(own: readonly StepSeconds[], torch: readonly StepSeconds[], peft: string | { readonly version: string }) {
  const middle = (steps: readonly StepSeconds[]): StepSeconds => ({
    sampling: median(steps.map(({ sampling }) => sampling)),
    update: median(steps.map(({ update }) => update)),
  });
  const ofTorch = typeof peft === "string" ? { missing: peft } : { version: peft.version, ...middle(torch) };
  return { own: middle(own), torch: ofTorch };
}
