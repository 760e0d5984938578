// What a way out of a run is: from its folder to named files.
import type { ModelFile } from "../../protocol/messages.ts";
import { isRecord } from "../../protocol/problems.ts";
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

/** A file of text. */
export function textFile(name: string, text: string): ModelFile {
  return { name, bytes: new TextEncoder().encode(text) };
}

/** A setting of a configuration, parts of it after a dot. */
export function settingOf(config: object, name: string): unknown {
  let value: unknown = config;
  for (const key of name.split(".")) value = isRecord(value) ? value[key] : undefined;
  return value;
}
