// What the kernels are told before they compute: the shape of the model, and each thread's working memory.
import * as map from "../assembly/memoryMap.ts";
import type { ModelSizes } from "../modelSizes.ts";
import type { Arena } from "./arena.ts";
import type { KernelExports } from "./kernelModule.ts";

/** Writes the model's words but for the tile and the rotary table; `prepare` makes the kernels read them. */
export function writeShape(arena: Arena, shape: ModelSizes): void {
  const words = arena.words(map.MODEL, map.MODEL_BYTES / 4);
  words[map.MODEL_VOCAB >> 2] = shape.vocabularySize;
  words[map.MODEL_HIDDEN >> 2] = shape.hiddenSize;
  words[map.MODEL_LAYERS >> 2] = shape.layers;
  words[map.MODEL_HEADS >> 2] = shape.heads;
  words[map.MODEL_KV_HEADS >> 2] = shape.kvHeads;
  words[map.MODEL_HEAD_SIZE >> 2] = shape.headSize;
  words[map.MODEL_INNER >> 2] = shape.intermediateSize;
  words[map.MODEL_TIED >> 2] = Number(shape.tiedEmbeddings);
  words[map.MODEL_VALUE_HEAD >> 2] = Number(shape.valueHead);
  words[map.MODEL_QKV_BIAS >> 2] = Number(shape.qkvBias);
  words[map.MODEL_HEAD_NORM >> 2] = Number(shape.headNorm);
  words[map.MODEL_SAMPLED_VOCAB >> 2] = shape.vocabularySize;
  words[map.MODEL_FROZEN >> 2] = 0;
  arena.floats(map.MODEL + map.MODEL_EPS, 1)[0] = shape.rmsNormEps;
}

/** Takes scratch for attention rows of at most `maxKeys` keys, for each thread, and lets thread 0 see it. */
export function reserveScratch(kernels: KernelExports, arena: Arena, threads: number, maxKeys: number): void {
  kernels.prepare(); // sizes follow from the model's shape
  const stride = kernels.scratchBytes(maxKeys);
  const base = arena.take(stride * threads);
  const job = arena.words(map.JOB, map.JOB_BYTES / 4);
  job[map.JOB_SCRATCH >> 2] = base;
  job[map.JOB_SCRATCH_STRIDE >> 2] = stride;
  job[map.JOB_MAX_KEYS >> 2] = maxKeys;
  kernels.prepare();
}
