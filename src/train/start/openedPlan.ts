// A plan with what the small files of its model say, read once and before anything is built: its tokens and its shape. What a run
// takes of the memory follows from it alone; its weights come when it is built.

import { storedTypes } from "../../model/folder/checkpoint.ts";
import { readModelConfig } from "../../model/folder/configFile.ts";
import { GGML_TYPES, type GgmlType } from "../../model/folder/ggmlTypes.ts";
import { type ModelFolder, textFile } from "../../model/folder/modelFolder.ts";
import { adaptedLayout, LORA_TARGETS, type LoraConfig } from "../../model/lora/adapters.ts";
import { type FrozenBase, hollowBase } from "../../model/lora/frozenBase.ts";
import { sizeOf } from "../../model/tensors.ts";
import { parameterLayout, type TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { usesCritic } from "../../rl/baselines/index.ts";
import { prepareTask } from "../../rl/tasks/custom/world.ts";
import type { Renderer } from "../../rl/types.ts";
import { checkpointFolder, rendererOf } from "../backend/loadRenderer.ts";
import type { Models, OwnWork } from "../host.ts";
import type { RunPlan } from "./plan.ts";

/** What is known of a checkpoint that computes here without its weights. */
interface StoredShape {
  readonly shape: TransformerConfig;
  /** How its tensors are stored, by their names; null where all weights are trained, for which that is nothing. */
  readonly typeOf: ((name: string) => GgmlType | undefined) | null;
}

/** What the model of a run is, beside its configuration. */
export interface OpenedModel {
  readonly renderer: Renderer;
  /** Where the checkpoint lies that the run begins with; null where it begins with none. */
  readonly folder: ModelFolder | null;
  /** Null without a checkpoint, or where a server computes it. */
  readonly stored: StoredShape | null;
}

export type OpenedPlan = RunPlan & OpenedModel;

async function storedShape(folder: ModelFolder, { loraRank }: RunConfig): Promise<StoredShape> {
  const shape = readModelConfig(await textFile(folder, "config.json"));
  return { shape, typeOf: loraRank > 0 ? await storedTypes(folder) : null };
}

/** Reads what a plan needs to know; throws naming the file that is missing or broken. */
export async function openPlan<P extends Pick<RunPlan, "config" | "task" | "instance">>(
  plan: P,
  host: Models & OwnWork,
): Promise<P & OpenedModel> {
  const { config, task } = plan;
  await prepareTask(plan, host);
  const renderer = await rendererOf(config, task.rendererKind, host);
  const folder = await checkpointFolder(config, host);
  const stored = folder && config.backend !== "tinker" ? await storedShape(folder, config) : null;
  return { ...plan, renderer, folder, stored };
}

/** Whether the policy itself carries the value head. */
export function hasSharedCritic(config: RunConfig): boolean {
  return usesCritic(config) && config.criticTrunk === "shared";
}

/** The shape of a transformer that no checkpoint gives. */
export function randomShape(config: RunConfig, { vocabularySize }: Renderer): TransformerConfig {
  return {
    vocabularySize,
    hiddenSize: config.hiddenSize,
    layers: config.layers,
    heads: config.heads,
    kvHeads: config.kvHeads,
    headSize: config.hiddenSize / config.heads,
    intermediateSize: config.intermediateSize,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tiedEmbeddings: true,
    qkvBias: false,
    headNorm: false,
    maxPositions: 2048,
    valueHead: hasSharedCritic(config),
  };
}

/** The shape of a run's transformer. */
export function shapeOf(config: RunConfig, { renderer, stored }: Pick<OpenedModel, "renderer" | "stored">): TransformerConfig {
  return stored ? { ...stored.shape, valueHead: hasSharedCritic(config) } : randomShape(config, renderer);
}

/** The adapters a configuration trains; null where it trains all weights. */
export function loraOf({
  loraRank: rank,
  loraAlpha: alpha,
  loraTargets,
  loraRankStabilized: rankStabilized,
}: RunConfig): LoraConfig | null {
  return rank === 0 ? null : { rank, alpha, rankStabilized, targets: LORA_TARGETS[loraTargets] };
}

/** Numbers that training moves of a transformer of this shape. */
export function trainedCount(config: RunConfig, shape: TransformerConfig): number {
  const lora = loraOf(config);
  return sizeOf(lora ? adaptedLayout(shape, lora).layout : parameterLayout(shape));
}

/** The base of a configuration with nothing in its tensors, to count what it takes; null where all weights are trained. */
export function hollowBaseOf(config: RunConfig, shape: TransformerConfig, { stored }: Pick<OpenedModel, "stored">): FrozenBase | null {
  const lora = loraOf(config);
  if (!lora) return null;
  const tensors = hollowBase(shape, (name) => stored?.typeOf?.(name) ?? GGML_TYPES[0]!);
  return { tensors, adapted: adaptedLayout(shape, lora) };
}
