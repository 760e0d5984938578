// What a workload takes of a GPU's memory: the buffers that its plans would make, counted by the same
// functions that make them.

import { modelShape } from "../../kernels/modelSizes.ts";
import { BufferCount } from "../../kernels/webgpu/arena.ts";
import { opWords } from "../../kernels/webgpu/program.ts";
import type { MemoryPart } from "../../protocol/memory.ts";
import { slotsOf } from "../../rl/policy.ts";
import type { PackedBatch, Workload } from "../backend.ts";
import type { FrozenBase } from "../lora/frozenBase.ts";
import { sizeOf } from "../tensors.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { parameterSizes } from "./parameters.ts";
import {
  type Capacity,
  type DeviceSizes,
  fits,
  mostPerMicroBatch,
  roomyPositions,
  SCORING_ROWS,
  scoringCapacity,
} from "./plan/deviceSizes.ts";
import { planModel, storedRows, trainedLayout } from "./plan/modelPlan.ts";
import { roomForBoth, samplingBuffers } from "./sampling/samplingPlan.ts";
import { cutWaves, type SamplingCapacity, waveCapacity } from "./sampling/waves.ts";
import { everyTokenBuffers, everyTokenCapacity, rowsAsked } from "./scoring/everyToken.ts";
import { cutMicroBatches, layOut } from "./scoring/microBatch.ts";
import { scoringBuffers } from "./scoring/scoringPlan.ts";

/** Limits of a device that decide how work is split. */
export interface GpuLimits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
}

/** What a plan would hold after all micro-batches of some batches. */
function capacityAfter(device: DeviceSizes, batches: readonly PackedBatch[], rows: number): Capacity | undefined {
  let capacity: Capacity | undefined;
  for (const batch of batches)
    for (const range of cutMicroBatches(batch, rows, mostPerMicroBatch(device))) {
      const part = layOut(batch, range, device.config.vocabularySize);
      if (!capacity || !fits({ capacity }, part)) capacity = scoringCapacity(device, part, capacity);
    }
  return capacity;
}

/** What each set of weights scores, whose plan it keeps. The policy is probed too, in a plan of its own. */
function scoredBySlot({ scores, scored, probed }: Pick<Workload, "scores" | "scored" | "probed">): readonly (readonly PackedBatch[])[] {
  const slots = probed && !scores.includes("policy") ? (["policy", ...scores] as const) : scores;
  return slots.map((slot) => [...(probed && slot === "policy" ? [probed] : []), ...(scores.includes(slot) ? [scored] : [])]);
}

/** What the sampling plan would hold after all rollouts. */
function samplingAfter(device: DeviceSizes, { rollouts }: Workload): SamplingCapacity | undefined {
  let capacity: SamplingCapacity | undefined;
  for (const rollout of rollouts) {
    for (const wave of cutWaves(device, rollout, rollout.expectedTokens)) {
      const needed = waveCapacity(device, wave);
      const positions = roomyPositions(device, needed.positions);
      capacity = roomForBoth(capacity ?? needed, { ...needed, positions });
    }
  }
  return capacity;
}

/** Bytes of all buffers. Throws where a tensor of the model exceeds what the device holds. */
export function countWebgpuMemory(
  config: TransformerConfig,
  limits: GpuLimits,
  workload: Workload,
  frozen: FrozenBase | null = null,
): readonly MemoryPart[] {
  const bindingBytes = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const plan = planModel(config, frozen, bindingBytes);
  const workgroups = limits.maxComputeWorkgroupsPerDimension;
  const device: DeviceSizes = { shape: modelShape(config), config, bindingBytes, workgroups, plan };
  const count = sizeOf(trainedLayout(config, frozen));
  const { stride, copies } = parameterSizes(count, bindingBytes);
  const tables = new BufferCount(bindingBytes);
  const counted = (take: (buffers: BufferCount, sizes: DeviceSizes & { rope(positions: number): number }) => void): number => {
    const buffers = new BufferCount(bindingBytes);
    take(buffers, { ...device, rope: (positions) => tables.storage(`rope ${positions}`, positions * config.headSize) });
    return buffers.bytes;
  };
  const scoring = (batches: readonly PackedBatch[], rows: number, keep: boolean): number => {
    const capacity = capacityAfter(device, batches, rows);
    if (!capacity) return 0;
    return counted((buffers, sizes) => {
      scoringBuffers(sizes, buffers, capacity, keep);
      buffers.uniform("offsets", opWords((keep ? 28 : 10) * config.layers));
    });
  };
  const everyToken = workload.probed && rowsAsked(workload.probed);
  const kept = everyToken ? { ...workload, probed: everyToken.others } : workload;
  const sampling = samplingAfter(device, workload);
  const flat = 4 * stride;
  return [
    ...(frozen
      ? [
          {
            title: "The frozen base, as it is stored",
            bytes: 4 * storedRows(plan).reduce((sum, { words }) => sum + words, plan.vectorWords),
          },
        ]
      : []),
    { title: frozen ? "Adapters" : "Weights", bytes: flat },
    { title: "Gradients", bytes: flat * copies },
    { title: "Optimizer's moments", bytes: 2 * flat },
    ...(workload.hasReference ? [{ title: "Reference", bytes: flat }] : []),
    {
      title: "Keys and values while sampling",
      bytes: sampling
        ? Math.max(1, ...workload.rollouts.map((rollout) => slotsOf(rollout).length)) *
          counted((buffers, sizes) => {
            samplingBuffers(sizes, buffers, sampling);
            buffers.uniform("offsets", opWords(30 * config.layers));
          })
        : 0,
    },
    {
      title: "Activations while scoring",
      bytes: scoredBySlot(kept).reduce((sum, batches) => sum + scoring(batches, SCORING_ROWS, false), 0),
    },
    ...(everyToken
      ? [
          {
            title: "Likely tokens of an answer, while it is asked",
            bytes: counted((buffers, sizes) => everyTokenBuffers(sizes, buffers, everyTokenCapacity(device, everyToken))),
          },
        ]
      : []),
    { title: "Activations of a micro-batch", bytes: scoring([workload.updated], workload.microBatchTokens, true) },
    { title: "Tables, and weights read back", bytes: tables.bytes + 4 * count },
  ];
}
