// What a check of the way to other programs is, and what it is given.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Interop {
  /** Folder of this check alone. */
  readonly folder: string;
  /** Runs the built command line there; resolves to what its --json printed. */
  lab(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** Runs a program of scripts/interop/python, or another one; resolves to its last line. */
  python(program: string, ...args: readonly string[]): Promise<string>;
  /** The environment's Python. */
  readonly interpreter: string;
}

export interface Check {
  readonly name: string;
  readonly title: string;
  /** Packages of Python whose versions its section names; the environment is chosen by the first. */
  readonly packages: readonly string[];
  /** Resolves to what was seen; rejects where it is not as it should be. */
  run(interop: Interop): Promise<string>;
}

/** Throws a sentence unless it holds. */
export function hold(isHeld: boolean, sentence: string): asserts isHeld {
  if (!isHeld) throw new Error(sentence);
}

/** A small run of arithmetic in the check's folder, and what train said of it. */
export async function trainSums({ folder, lab }: Interop, settings: Readonly<Record<string, unknown>> = {}, name = "sums") {
  const config = {
    ...{ task: "boxed-arithmetic", backend: "wasm", threads: 1, steps: 2, promptsPerStep: 8, groupSize: 8, learningRate: 5e-4 },
    ...{ evalEvery: 1, evalProblems: 32, ...settings },
  };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(config));
  const told = await lab("train", `${name}.json`, "--out", name);
  return { path: join(folder, name), told };
}
