// The trained policy as a Hugging Face folder, and its adapters as one of PEFT.
import { join } from "node:path";
import { withBase } from "../../model/folder/adapterFolder.ts";
import { readModelName } from "../../protocol/models/modelName.ts";
import { errorText } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { MODELS, readOrigin } from "../models/modelPlaces.ts";
import { exporterOfOpened } from "./exporter.ts";

export const modelFolder = exporterOfOpened(
  { name: "hf", help: "the policy as a Hugging Face model folder, adapters merged, which transformers, TRL and vLLM load" },
  async (run, path) => {
    const files = await run.model.exportFiles();
    if (files) return files;
    throw new CommandError(`${path} trained a logits table, which has no Hugging Face form: train a transformer (model: transformer)`);
  },
);

export const adapterFolder = exporterOfOpened(
  { name: "peft", help: "the adapters of a run with loraRank above 0, as a folder that PEFT loads beside its base" },
  async (run, path) => {
    try {
      const files = await run.adapterFiles();
      const name = readModelName(run.trainer.config.checkpoint);
      const base = name?.kind === "folder" ? join(MODELS, name.name) : name?.kind === "path" ? name.path : null;
      const origin = base === null ? null : await readOrigin(base);
      return origin ? withBase(files, origin.repository) : files;
    } catch (error) {
      throw new CommandError(`${path}: ${errorText(error)}`);
    }
  },
);
