// TRL's part of the benchmark: finds the Python that has it and gives both trainers a folder of their own.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWhatIsMissing } from "../../scripts/build.mjs";
import { versionsOf } from "../../scripts/interop/environment.ts";
import { interopIn } from "../../scripts/interop/programs.ts";
import type { TrlResult } from "../report/result.ts";
import { measureTrl } from "./trl.ts";

/** Measures `seeds` seeds from 0 on. Rejects with what is missing. */
export async function measureHereWithTrl(seeds: number): Promise<TrlResult & { readonly version: string }> {
  const python = process.env.PYTHON ?? "python3";
  const { trl } = await versionsOf(python, ["trl"]);
  if (!trl) throw new Error(`${python} has no trl (set PYTHON to one that has it)`);
  await buildWhatIsMissing();
  const folder = await mkdtemp(join(tmpdir(), "rollout-lab-trl-"));
  try {
    const result = await measureTrl(
      interopIn(folder, python),
      Array.from({ length: seeds }, (_, seed) => seed),
    );
    return { ...result, version: trl };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
