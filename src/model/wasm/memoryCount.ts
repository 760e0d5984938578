// What a workload takes of the kernels' memory: the same calls that place it, on an arena that only
// counts, so that the count follows whatever they do.
import { CountingArena } from "../../kernels/wasm/arena.ts";
import type { JobRunner } from "../../kernels/wasm/engine.ts";
import type { KernelExports } from "../../kernels/wasm/kernelModule.ts";
import { reserveScratch } from "../../kernels/wasm/modelShape.ts";
import type { MemoryPart } from "../../protocol/memory.ts";
import type { Objective, RolloutSize, Workload } from "../backend.ts";
import type { FrozenBase } from "../lora/frozenBase.ts";
import { cutSequences, partOf } from "../samplerWaves.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { accumulateBatch, SCORE_ROWS, scoreBatch } from "./forwardBackward.ts";
import { DEFAULT_PARTITIONS, ModelMemory } from "./modelMemory.ts";
import { reduceGradients } from "./optimizer.ts";
import { cacheKeys, takeCaches, waveSizes } from "./sampler.ts";
import { takeTurnBlocks } from "./turn.ts";

/** An engine without weights, threads or work. */
async function countingEngine(module: WebAssembly.Module, threads: number): Promise<JobRunner & { readonly arena: CountingArena }> {
  const arena = new CountingArena();
  const { exports } = await WebAssembly.instantiate(module, { env: { memory: arena.memory } });
  const kernels = exports as unknown as KernelExports;
  return { arena, kernels, threads, takeScratch: (maxKeys) => reserveScratch(kernels, arena, threads, maxKeys), run: () => {} };
}

/** Takes what the first and largest wave of a rollout takes. */
function countRollout(memory: ModelMemory, rollout: RolloutSize): void {
  const { engine } = memory;
  const newTokens = rollout.expectedTokens;
  const [wave] = cutSequences(rollout.promptOf_B, waveSizes(memory, rollout, newTokens));
  if (!wave) return;
  const caches = takeCaches(memory, partOf(rollout, wave, newTokens), newTokens);
  takeTurnBlocks(engine, { B: wave.last - wave.first, T: newTokens, forced: 0, stops: rollout.stopTokens, keys: cacheKeys(caches) });
  engine.arena.release();
}

const idleObjective: Objective = ({ logprobs_K }) => ({ logprobs_K, entropies_K: null, values_K: null });

/**
 * Bytes that the kernels' memory grows to.
 * @param module of memory that is not shared.
 * @param partitions as the backend cuts its batches.
 * @param frozen a base whose tensors may be hollow.
 */
export async function countWasmMemory(
  config: TransformerConfig,
  module: WebAssembly.Module,
  { threads, partitions = DEFAULT_PARTITIONS }: { readonly threads: number; readonly partitions?: number },
  workload: Workload,
  frozen: FrozenBase | null = null,
): Promise<readonly MemoryPart[]> {
  const engine = await countingEngine(module, threads);
  const { arena } = engine;
  const parts: MemoryPart[] = [];
  const hold = (title: string, take: () => void) => {
    arena.begin();
    const before = arena.used;
    take();
    arena.begin();
    parts.push({ title, bytes: arena.used - before });
  };
  const memory = new ModelMemory(engine, config, partitions, frozen);
  if (frozen) parts.push({ title: "The frozen base, as it is stored", bytes: arena.used });
  hold(frozen ? "Adapters" : "Weights, as they are and packed", () => {
    memory.holdWeights("policy");
    memory.ensurePacked("policy", true);
  });
  hold("Gradients", () => memory.gradients());
  hold("Optimizer's moments", () => memory.moments());
  if (workload.hasReference) hold("Reference", () => memory.holdWeights("reference"));
  hold("Rotary table", () => {
    for (const { prompts, expectedTokens } of workload.rollouts)
      memory.ensurePositions(Math.min(config.maxPositions, expectedTokens + (prompts[0]?.length ?? 0)));
  });
  const held = arena.used;
  let largest: MemoryPart = { title: "Working memory", bytes: arena.peakBytes - held };
  const trackLargest = (title: string, take: () => void) => {
    take();
    if (arena.peakBytes - held > largest.bytes) largest = { title, bytes: arena.peakBytes - held };
  };
  for (const rollout of workload.rollouts) trackLargest("Keys and values while sampling", () => countRollout(memory, rollout));
  for (const slot of workload.scores)
    trackLargest("Activations while scoring", () => scoreBatch(memory, workload.scored, slot, SCORE_ROWS));
  const { probed } = workload;
  if (probed) trackLargest("Activations while scoring", () => scoreBatch(memory, probed, "policy", SCORE_ROWS));
  trackLargest("Activations of a micro-batch", () => accumulateBatch(memory, workload.updated, idleObjective, workload.microBatchTokens));
  trackLargest("Sums of the optimizer", () => reduceGradients(memory));
  return [...parts, largest];
}
