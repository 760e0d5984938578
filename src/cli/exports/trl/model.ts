// The model that TRL begins with: files in the folder, or a model that it opens by a path or by its name on the hub. And the
// adapters that are trained beside it, as PEFT's options.
import { resolve } from "node:path";
import { LORA_TARGETS } from "../../../model/lora/adapters.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { ModelFile } from "../../../protocol/messages.ts";
import { readModelName } from "../../../protocol/models/modelName.ts";
import type { Policy } from "../../../rl/policy.ts";
import type { TaskInstance } from "../../../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../../../rl/types.ts";
import type { ActiveRun } from "../../../train/start/start.ts";
import { CommandError } from "../../lab/exit.ts";
import { broughtFolder, MODELS } from "../../models/modelPlaces.ts";

export type TrlModel =
  | { readonly files: readonly ModelFile[] }
  /** A path of this machine or OWNER/NAME, and the revision where one is asked for. */
  | { readonly name: string; readonly revision: string | null };

/** What a folder for TRL is made from: a run, or a start whose weights may lie elsewhere. */
export interface TrlRun {
  readonly config: RunConfig;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  readonly model: TrlModel;
  /** Longest sequence that the model takes. */
  readonly maxPositions: number;
  /** Null where its weights are not here. */
  readonly policy: Policy | null;
}

/** PEFT's LoraConfig for the adapters of a run; null where all weights are trained. */
export function peftOptions({ loraRank, loraAlpha, loraRankStabilized, loraTargets }: RunConfig) {
  if (loraRank === 0) return null;
  return {
    r: loraRank,
    lora_alpha: loraAlpha,
    use_rslora: loraRankStabilized,
    target_modules: [...LORA_TARGETS[loraTargets]],
    bias: "none",
  };
}

/** What of a run's own weights goes into the folder. Throws a CommandError where it has none. */
export async function ownModel(name: string, { model }: Pick<ActiveRun, "model">): Promise<TrlModel> {
  const files = await model.exportFiles();
  if (!files) throw new CommandError(`${name}: TRL cannot train a logits table: use a transformer (model: transformer)`);
  return { files };
}

/** A run as the folder for TRL is made from it. */
export function trlRunOf({ trainer, task, renderer, rewards, model: own }: ActiveRun, model: TrlModel): TrlRun {
  const policy = own.policy();
  return { config: trainer.config, task, renderer, rewards, model, maxPositions: policy.maxPositions, policy };
}

/**
 * The model of a configuration that TRL opens where it lies: a folder of this machine, or of the hub where it is not
 * here; null where its files must be written.
 */
export async function placeOfModel({ model, startFrom, checkpoint }: RunConfig) {
  const name = model === "transformer" && startFrom === "checkpoint" ? readModelName(checkpoint) : null;
  if (!name) return null;
  if (name.kind === "path") return checkpoint.endsWith(".gguf") ? null : { name: resolve(name.path), revision: null, isHere: true };
  const folder = await broughtFolder(MODELS, name);
  if (folder !== null) return { name: resolve(folder), revision: null, isHere: true };
  return name.kind === "hub" ? { name: name.repository, revision: name.revision, isHere: false } : null;
}
