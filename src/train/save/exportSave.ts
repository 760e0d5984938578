// The run as it stands, as one file: a whole save with its checkpoint, made without the store. So a
// checkpoint can be kept that the run itself goes on from, such as the best one.
import type { ModelFile } from "../../protocol/messages.ts";
import type { ActiveRun } from "../run/activeRun.ts";
import { liveSettingsOf } from "./manifest.ts";
import { packFiles } from "./saveBlock.ts";
import { SaveBuilder } from "./saveBuilder.ts";

/** The model must be at rest. Rejects in the middle of a step, which no save can go on from. */
export async function exportSave(run: ActiveRun): Promise<ModelFile> {
  const { runId, trainer, model, critic } = run;
  if (trainer.isInStep) throw new Error("the run stands in the middle of a step: ask for its save once that is over");
  const { config } = trainer;
  const state = { trainer: trainer.save(), settings: liveSettingsOf(config) };
  const models = { model: await model.save(), critic: (await critic?.save()) ?? null };
  const { put } = new SaveBuilder(runId, run, config).whole({ config, checkpoint: { ...state, ...models } });
  return { name: `${runId}.rollout-lab`, bytes: packFiles(put) };
}
