// A run copied as it stands between two steps: for its save, as files that leave it, and for a run that begins with its weights.
import type { CommandOf } from "../../../protocol/commands.ts";
import type { ModelFile } from "../../../protocol/messages.ts";
import { tokenizerId } from "../../backend/loadRenderer.ts";
import { liveSettingsOf } from "../../save/manifest.ts";
import { packFiles, ROLLOUT_ENDING } from "../../save/rollout/packedFiles.ts";
import { SaveBuilder, type TakenCheckpoint } from "../../save/saveBuilder.ts";
import type { RunFiles } from "../../start/plan.ts";
import type { ActiveRun } from "../../start/start.ts";
import { shapeSettings } from "../../start/weightTransfer.ts";

/** All that the next step depends on, copied between two steps. */
export async function checkpointOf({ trainer, model, critic, renderer }: ActiveRun): Promise<TakenCheckpoint> {
  const state = { trainer: trainer.save(), settings: liveSettingsOf(trainer.config), tokenizer: tokenizerId(renderer) };
  return { ...state, model: await model.save(), critic: (await critic?.save()) ?? null };
}

/** The policy as a Hugging Face folder. */
export async function exportModel({ model }: ActiveRun): Promise<readonly ModelFile[]> {
  const files = await model.exportFiles();
  if (!files) throw new Error("this policy has no Hugging Face form: only a transformer can be exported");
  return files;
}

/** What is kept beside the last checkpoint lies in the store alone. */
const withoutKept = ({ steps, evaluations, baselines, probes, backend, parent }: ActiveRun) => ({
  steps,
  evaluations,
  baselines,
  probes,
  backend,
  ...(parent ? { parent } : {}),
});

/**
 * The run as it stands, as one file made without the store. The model must be at rest. Rejects in the middle of a step,
 * which no save can go on from.
 */
export async function exportSave(run: ActiveRun): Promise<ModelFile> {
  const { runId, trainer } = run;
  if (trainer.isInStep) throw new Error("the run stands in the middle of a step: ask for its save once that is over");
  const { config } = trainer;
  const { put } = new SaveBuilder(runId, withoutKept(run), config).whole({
    config,
    checkpoint: await checkpointOf(run),
    kept: run.kept.files(),
  });
  return { name: `${runId}${ROLLOUT_ENDING}`, bytes: packFiles(put) };
}

/** A configuration with the weights and the shape of a run whose model is at rest. */
export async function inherited(
  { runId, trainer, parent, transformer, wholeWeights, renderer }: ActiveRun,
  config: CommandOf<"start">["config"],
): Promise<RunFiles> {
  if (!transformer) throw new Error("only a transformer can hand its weights on");
  const weights = { config: transformer, tokenizer: tokenizerId(renderer), weights: await wholeWeights() };
  return {
    config: { ...config, model: "transformer", startFrom: "run", ...shapeSettings(transformer) },
    weights,
    // A copy that has taken no step of its own is its original.
    parent: parent?.step === trainer.step ? parent : { runId, step: trainer.step },
  };
}
