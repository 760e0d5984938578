// A run's records from its folder, or from one file, in the forms that they leave the lab in.

import { type Form, forms } from "../../export/forms.ts";
import { subjectOf, type WrittenRun } from "../../export/writtenRun.ts";
import { algorithms } from "../../rl/algorithms/index.ts";
import { tasks } from "../../rl/tasks/index.ts";
import { begunOf, readConversations, readRecords } from "../folder/recordedRun.ts";
import type { RunFolder } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import type { Exporter } from "./exporter.ts";

/** A run as it leaves the lab. */
export async function writtenRun(folder: RunFolder): Promise<WrittenRun> {
  const conversations = await readConversations(folder);
  const recorded = await readRecords(folder);
  const begun = await begunOf(folder);
  const subject = subjectOf(recorded.config, { tasks: tasks.map(({ entry }) => entry), algorithms });
  return { ...recorded, runId: folder.runId, subject, begun, begunAt: new Date(1000 * begun).toISOString(), conversations };
}

function exporterOf({ name, help, isOfConversations = false, files }: Form): Exporter {
  return {
    name,
    help,
    async files({ folder }) {
      const run = await writtenRun(folder);
      if (isOfConversations && !run.conversations?.length) throw new CommandError(`${folder.path} has no conversations written down`);
      return files(run);
    },
  };
}

export const records: readonly Exporter[] = forms.map(exporterOf);
