// One GRPO step of a pretrained model beside PyTorch with PEFT, in turns on the same processor: SmolLM2-135M's shape,
// adapters of rank 8 on all projections, 4 prompts of 40 tokens with 4 completions of 48. Ours reads the GGUF file named
// by SMOLLM2_GGUF; without one, and in PyTorch, weights are drawn, on which time does not depend.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../scripts/environment.mjs";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { Arena } from "../../src/kernels/wasm/arena.ts";
import { measureTiles } from "../../src/kernels/wasm/chooseTile.ts";
import { type KernelExports, loadKernels } from "../../src/kernels/wasm/kernelModule.ts";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { readStoredFolder } from "../../src/model/folder/checkpoint.ts";
import type { StoredTensors } from "../../src/model/folder/ggmlTypes.ts";
import { initialWeights } from "../../src/model/initialWeights.ts";
import { adaptedLayout, initialAdapters, LORA_TARGETS } from "../../src/model/lora/adapters.ts";
import { storedWeights } from "../../src/model/lora/frozenBase.ts";
import { parameterLayout, type TransformerConfig } from "../../src/model/transformerConfig.ts";
import { createWasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { findTorch, speak } from "../peers/start/startPython.ts";
import type { PretrainedResult, StepSeconds } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import { OPTIMIZER } from "./inputs.ts";
import { measureDecode } from "./pretrainedDecode.ts";

const PROMPTS = 4;
const COPIES = 4;
const PROMPT_TOKENS = 40;
const NEW_TOKENS = 48;
const RANK = 8;
/** Rows of a micro-batch: two prompts with their completions, one for each of two threads. */
const MICRO_BATCH = 512;

/** SmolLM2-135M-Instruct. */
const SHAPE: TransformerConfig = {
  ...{ vocabularySize: 49152, hiddenSize: 576, layers: 30, heads: 9, kvHeads: 3, headSize: 64, intermediateSize: 1536 },
  ...{ ropeTheta: 100_000, rmsNormEps: 1e-5, tiedEmbeddings: true, qkvBias: false, headNorm: false, maxPositions: 2048, valueHead: false },
};

const prompts = Array.from({ length: PROMPTS }, (_, p) => Array.from({ length: PROMPT_TOKENS }, (_, i) => (p * 997 + i * 131) % 49152));

/** The base, and where it is from. */
async function baseOf(): Promise<{ readonly tensors: StoredTensors; readonly from: string }> {
  const path = process.env.SMOLLM2_GGUF;
  if (!path) {
    const values = await initialWeights(SHAPE, new Random(1), async () => {});
    return {
      tensors: storedWeights({ layout: parameterLayout(SHAPE), values }),
      from: "drawn weights in F32 (SMOLLM2_GGUF names no file)",
    };
  }
  const { ggufConfig } = await import("../../src/model/folder/ggufModel.ts");
  const { readGguf } = await import("../../src/model/folder/gguf.ts");
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
async function ownStep(backend: TransformerBackend, random: Random): Promise<StepSeconds> {
  const uniforms_BT = Float32Array.from({ length: PROMPTS * COPIES * NEW_TOKENS }, () => random.uniform());
  const rule = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const began = performance.now();
  const { tokens_BT } = await sampleCompletions(backend, { prompts, copies: COPIES, maxNewTokens: NEW_TOKENS, ...rule, uniforms_BT });
  const sampled = performance.now();
  const completion = (b: number) => Array.from(tokens_BT.subarray(b * NEW_TOKENS, (b + 1) * NEW_TOKENS));
  const groups = prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: COPIES }, (_, c) => completion(p * COPIES + c)),
  }));
  const objective = ({ logprobs_K }: { readonly logprobs_K: Float32Array }) => ({
    ...{ logprobs_K: logprobs_K.map((_, k) => Math.sin(k) / logprobs_K.length), entropies_K: null, values_K: null },
  });
  await backend.accumulate(packGroups(groups, 1), objective, MICRO_BATCH);
  await backend.step({ ...OPTIMIZER, learningRate: 1e-4 });
  return { sampling: (sampled - began) / 1000, update: (performance.now() - sampled) / 1000 };
}

/** Speed of the product itself on so many threads, in GFLOP/s: one thread's, as many times. */
async function productPeak(threads: number): Promise<number> {
  const host = createNodeHost();
  const { module } = await loadKernels(host, false);
  const arena = new Arena(false);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory: arena.memory } });
  const speeds = measureTiles(exports as unknown as KernelExports, arena, host);
  return threads * Math.max(speeds[6], speeds[4]);
}

/** Thousand million operations of our step, by products with the base alone; prompts are shared, so others do more. */
function operations(): StepSeconds {
  const { hiddenSize: D, layers, heads, kvHeads, headSize, intermediateSize: F, vocabularySize: V } = SHAPE;
  const blocks = layers * (2 * D * heads * headSize + 2 * D * kvHeads * headSize + 3 * D * F);
  const sequences = PROMPTS * COPIES;
  const rows = PROMPTS * PROMPT_TOKENS + sequences * (NEW_TOKENS - 1);
  const scored = PROMPTS + sequences * (NEW_TOKENS - 1);
  return {
    sampling: (2 * (rows * blocks + sequences * NEW_TOKENS * D * V)) / 1e9,
    update: (4 * rows * blocks + 4 * scored * D * V) / 1e9,
  };
}

const shapeForPython = {
  ...{ vocab_size: SHAPE.vocabularySize, hidden_size: SHAPE.hiddenSize, num_hidden_layers: SHAPE.layers },
  ...{ num_attention_heads: SHAPE.heads, num_key_value_heads: SHAPE.kvHeads, intermediate_size: SHAPE.intermediateSize },
  ...{ rms_norm_eps: SHAPE.rmsNormEps, rope_theta: SHAPE.ropeTheta, tie_word_embeddings: true },
};

/** PyTorch's side, ready to take steps; or why there is none. */
async function startPeft(threads: number) {
  const found = findTorch();
  if (typeof found === "string") return found;
  const env = { ...process.env, OMP_NUM_THREADS: String(threads) };
  const child = spawn(found.command, [join(projectRoot, "bench/peers/peft_step.py")], { stdio: ["pipe", "pipe", "pipe"], env });
  const ask = speak(child);
  try {
    await ask({ do: "prepare", threads, rank: RANK, copies: COPIES, tokens: NEW_TOKENS, prompts, shape: shapeForPython });
  } catch (error) {
    child.kill();
    return error instanceof Error ? error.message : String(error);
  }
  return { step: async () => (await ask({ do: "step" })) as unknown as StepSeconds, close: () => child.kill(), version: found.torch };
}

/** Steps of both in turns after one of each that is not counted. PyTorch is left out, with the reason, where it is missing. */
export async function measurePretrainedStep(threads: number, rounds: number): Promise<PretrainedResult> {
  const { tensors, from } = await baseOf();
  const adapted = adaptedLayout(SHAPE, { rank: RANK, alpha: 2 * RANK, rankStabilized: false, targets: LORA_TARGETS["all-linear"] });
  const backend = await createWasmBackend(SHAPE, createNodeHost(), { threads, frozen: { tensors, adapted } });
  const peft = await startPeft(threads);
  const random = new Random(1);
  const [own, torch, peaks]: [StepSeconds[], StepSeconds[], number[]] = [[], [], []];
  try {
    await backend.setWeights("policy", initialAdapters(adapted, null, new Random(1)));
    for (let round = 0; round <= rounds; round++) {
      const ours = await ownStep(backend, random);
      const peak = await productPeak(threads);
      const theirs = typeof peft === "string" ? null : await peft.step();
      if (round === 0) continue;
      own.push(ours);
      peaks.push(peak);
      if (theirs) torch.push(theirs);
    }
    if (typeof peft !== "string") peft.close();
    const decode = await measureDecode(backend, threads, rounds);
    return { ...resultOf(own, torch, peft), threads, from, rounds, decode, peakGflops: median(peaks), operations: operations() };
  } finally {
    backend.dispose();
    if (typeof peft !== "string") peft.close();
  }
}

function resultOf(own: readonly StepSeconds[], torch: readonly StepSeconds[], peft: string | { readonly version: string }) {
  const middle = (steps: readonly StepSeconds[]): StepSeconds => ({
    sampling: median(steps.map(({ sampling }) => sampling)),
    update: median(steps.map(({ update }) => update)),
  });
  const ofTorch = typeof peft === "string" ? { missing: peft } : { version: peft.version, ...middle(torch) };
  return { own: middle(own), torch: ofTorch };
}
