// The trained policy as a Hugging Face folder.
import { CommandError } from "../lab/exit.ts";
import { openRun } from "../runs/openRun.ts";
import type { Exporter } from "./exporter.ts";

export const modelFolder: Exporter = {
  name: "hf",
  help: "the policy as a Hugging Face model folder, which transformers, TRL and vLLM load",
  async files({ folder, which, progress }) {
    const { run, close } = await openRun({ path: folder.path, which, progress });
    try {
      const files = await run.model.exportFiles();
      if (files) return files;
      throw new CommandError(
        `${folder.path} trained a logits table, which has no Hugging Face form: train a transformer (model: transformer)`,
      );
    } finally {
      close();
    }
  },
};
