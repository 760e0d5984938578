// Files of one JSON value a line, appended while a run goes on. A line that a killed process has left
// unfinished is cut off before anything is appended and passed over when the file is read.

import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { jsonLines } from "../../export/writtenRun.ts";
import { orElse, parsedJson } from "../../protocol/problems.ts";
import { CommandError, codeOf, fileError } from "../lab/exit.ts";
import { writeWhole } from "./runFolder.ts";

/** Writes lines in order; owned state. The first failure ends it, and `onError` hears of it once. */
export class JsonLines {
  readonly #path: string;
  readonly #onError: (error: Error) => void;
  #hasFailed = false;

  constructor(path: string, onError: (error: Error) => void) {
    this.#path = path;
    this.#onError = onError;
  }

  /** On the disk when this returns: training may hold the process for seconds before another turn of it comes. */
  add(values: readonly unknown[]): void {
    if (this.#hasFailed || values.length === 0) return;
    try {
      appendFileSync(this.#path, jsonLines(values));
    } catch (error) {
      this.#hasFailed = true;
      this.#onError(fileError("written", this.#path, error));
    }
  }
}

/** The values of a file, its last line only where it is whole; none where there is no file. */
export async function readLines(path: string): Promise<readonly unknown[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw fileError("read", path, error);
  }
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  const values = lines.map((line, i) => lineValue(line, `${path}:${i + 1}`));
  return [...values, ...orElse<readonly unknown[], readonly []>(() => [JSON.parse(rest)], [])];
}

const lineValue = (line: string, where: string): unknown =>
  parsedJson(line, () => new CommandError(`${where}: is not JSON: the file was changed by hand or damaged`));

/** Puts other values in the place of a file's. */
export async function rewriteLines(path: string, values: readonly unknown[]): Promise<void> {
  await writeWhole(path, jsonLines(values));
}
