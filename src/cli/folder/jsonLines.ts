// Files of one JSON value a line, appended while a run goes on. A line that a killed process has left
// unfinished is cut off before anything is appended and passed over when the file is read.
import { appendFile, readFile } from "node:fs/promises";
import { CommandError, codeOf, fileError } from "../lab/exit.ts";
import { writeWhole } from "./runFolder.ts";

/** Writes lines in order; owned state. The first failure ends it, and `onTrouble` hears of it once. */
export class JsonLines {
  readonly #path: string;
  readonly #onTrouble: (error: Error) => void;
  #waiting = "";
  #writing: Promise<void> | null = null;
  #hasFailed = false;

  constructor(path: string, onTrouble: (error: Error) => void) {
    this.#path = path;
    this.#onTrouble = onTrouble;
  }

  add(values: readonly unknown[]): void {
    for (const value of values) this.#waiting += `${JSON.stringify(value)}\n`;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting !== "" && !this.#hasFailed) {
      const text = this.#waiting;
      this.#waiting = "";
      try {
        await appendFile(this.#path, text);
      } catch (error) {
        this.#hasFailed = true;
        this.#onTrouble(fileError("written", this.#path, error));
      }
    }
  }

  /** Resolves when all lines are written, or none more can be. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
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
  return rest === "" ? values : [...values, ...(isJson(rest) ? [JSON.parse(rest) as unknown] : [])];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function lineValue(line: string, where: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new CommandError(`${where}: is not JSON: the file was changed by hand or damaged`);
  }
}

/** Puts other values in the place of a file's. */
export async function rewriteLines(path: string, values: readonly unknown[]): Promise<void> {
  await writeWhole(path, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}
