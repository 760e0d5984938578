// The run as one file to hand on: a page and the command line open it.

import { basename } from "node:path";
import { errorText } from "../../protocol/problems.ts";
import { LABEL } from "../../train/host.ts";
import { fittedRollout } from "../../train/save/rollout/fittedRollout.ts";
import { dataFiles } from "../../train/save/rollout/heldData.ts";
import { ROLLOUT_ENDING } from "../../train/save/rollout/packedFiles.ts";
import { rolloutOf } from "../../train/save/rollout/rolloutOf.ts";
import { readOrRefuse } from "../folder/saveFile.ts";
import { CommandError } from "../lab/exit.ts";
import { findSave } from "../runs/openRun.ts";
import type { Exporter } from "./exporter.ts";

export const rollout: Exporter = {
  name: "rollout",
  help: "the run in one file, with its conversations: drop it on a page to replay it, or open it with serve, eval, export or compare",
  async files({ folder, which, hasWeights, mostBytes }) {
    const found = await findSave({ path: folder.path, which }, false);
    const saved = readOrRefuse(found.path, found);
    const label = found.files.get(LABEL);
    try {
      const choice = { checkpoint: hasWeights, ...(label ? { label } : {}) };
      const bytes =
        mostBytes === undefined
          ? rolloutOf(found.runId, saved, { ...choice, data: await dataFiles(saved.config, found.contents) })
          : (await fittedRollout(found.runId, saved, { ...choice, mostBytes })).bytes;
      return [{ name: `${basename(folder.path).replace(/\.rollout(-lab)?$/, "")}${ROLLOUT_ENDING}`, bytes }];
    } catch (error) {
      throw new CommandError(`${folder.path}: ${errorText(error)}`);
    }
  },
};
