// What a way out of a run is: from its folder to named files.
import type { ModelFile } from "../../protocol/messages.ts";
import type { ActiveRun } from "../../train/start/start.ts";
import type { RunFolder } from "../folder/runFolder.ts";
import type { Progress } from "../lab/progress.ts";
import { lookAtRun } from "../runs/openRun.ts";

interface ExportRequest {
  readonly folder: RunFolder;
  readonly which: "best" | "last";
  readonly progress: Progress;
  /** Of one file: whether the weights go along, and how large it may become. */
  readonly hasWeights: boolean;
  readonly mostBytes: number | undefined;
}

export interface Exporter {
  readonly name: string;
  /** Half a sentence: what the files are. */
  readonly help: string;
  files(request: ExportRequest): Promise<readonly ModelFile[]>;
}

/** A way out of a run that is opened for it, with its weights. */
export function exporterOfOpened(
  about: Pick<Exporter, "name" | "help">,
  filesOf: (run: ActiveRun, path: string) => Promise<readonly ModelFile[]>,
): Exporter {
  const files: Exporter["files"] = ({ folder: { path }, which, progress }) =>
    lookAtRun({ path, which, progress }, ({ run }) => filesOf(run, path));
  return { ...about, files };
}
