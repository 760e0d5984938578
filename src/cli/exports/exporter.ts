// What a way out of a run is: from its folder to named files.
import type { ModelFile } from "../../protocol/messages.ts";
import type { RunFolder } from "../folder/runFolder.ts";
import type { Progress } from "../lab/progress.ts";

export interface ExportRequest {
  readonly folder: RunFolder;
  readonly which: "best" | "last";
  readonly progress: Progress;
}

export interface Exporter {
  readonly name: string;
  /** Half a sentence: what the files are. */
  readonly help: string;
  files(request: ExportRequest): Promise<readonly ModelFile[]>;
}
