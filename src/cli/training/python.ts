// The Python that trains with TRL: which one it is, and which of TRL's packages it has.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { orElse } from "../../protocol/problems.ts";

/** What TRL needs. */
const PACKAGES = ["trl", "accelerate", "datasets", "transformers", "torch"] as const;

/** Versions are read from what was installed, without loading it. */
const FIND = `
import json, sys
from importlib.metadata import PackageNotFoundError, version
def of(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None
print(json.dumps({"version": sys.version.split()[0], "packages": {name: of(name) for name in ${JSON.stringify(PACKAGES)}}}))`;

export interface FoundPython {
  /** Its command. */
  readonly python: string;
  readonly version: string;
  /** The version of each package; null where it is missing. */
  readonly packages: Readonly<Record<string, string | null>>;
}

/** The command that was named, that of the environment, or python3. */
export function pythonCommand(named?: string): string {
  return named ?? process.env.ROLLOUT_LAB_PYTHON ?? "python3";
}

/** What a Python has; null where it cannot be run. */
export async function findPython(python: string): Promise<FoundPython | null> {
  const found = await promisify(execFile)(python, ["-c", FIND], { encoding: "utf8", timeout: 60_000 }).catch(() => null);
  if (!found) return null;
  return orElse(() => ({ python, ...(JSON.parse(found.stdout) as Omit<FoundPython, "python">) }), null);
}

/** Packages that it lacks. */
export function missingPackages({ packages }: FoundPython): readonly string[] {
  return PACKAGES.filter((name) => !packages[name]);
}
