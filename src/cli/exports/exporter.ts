// What a way out of a run is: from its folder to named files.
import type { ModelFile } from "../../protocol/messages.ts";
import type { RunFolder } from "../folder/runFolder.ts";
import type { Progress } from "../lab/progress.ts";

export interface ExportRequest {
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
