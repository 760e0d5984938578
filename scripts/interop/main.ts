// npm run test:interop: holds the ways in and out to the real programs, in Python environments of its own, and writes
// what it saw into docs/interop.md. Gigabytes of packages, so no part of npm test.
//   --only a,b        these checks, or all whose names begin so (trl, tinker); the others' sections stay as they are
//   --python FILE     Python that has what the checks need, in the place of own environments; with --verl-python or --tinker-python for
//                     those with TRL, transformers, TensorBoard, MLflow and wandb alone
//   --verl-python FILE  the same for verl and verifiers
//   --tinker-python FILE  the same for SkyRL and the official Tinker client
//   --folder DIR      where environments are kept (.cache/interop)
//   --renew           installs the newest versions again
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildWhatIsMissing } from "../build.mjs";
import { projectRoot } from "../environment.mjs";
import type { Check } from "./check.ts";
import { ENVIRONMENTS, type EnvironmentName, ownPython, versionsOf } from "./environment.ts";
import { checks } from "./index.ts";
import { interopIn } from "./programs.ts";
import { type Outcome, writeDocument } from "./report.ts";

/** A package's name without what is asked of it. */
const bare = (asked: string): string => /^[\w.-]+/.exec(asked)?.[0] ?? asked;

const environmentOf = ({ packages }: Check) =>
  (Object.keys(ENVIRONMENTS) as EnvironmentName[]).find((name) => ENVIRONMENTS[name].map(bare).includes(packages[0] ?? "")) ?? "trl";

/** Whether a name given is a check's own, or begins it. */
const names = (given: string, { name }: Check): boolean => name === given || name.startsWith(`${given}-`);

async function outcomeOf(check: Check, python: string): Promise<Outcome> {
  const begun = performance.now();
  const folder = mkdtempSync(join(tmpdir(), `rollout-lab-${check.name}-`));
  const versions = await versionsOf(python, check.packages);
  try {
    const missing = check.packages.filter((name) => versions[name] === null);
    if (missing.length > 0) throw new Error(`${python} has no ${missing.join(", ")}`);
    const seen = await check.run(interopIn(folder, python));
    return { check, versions, isHeld: true, seen, seconds: (performance.now() - begun) / 1000 };
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return { check, versions, isHeld: false, seen, seconds: (performance.now() - begun) / 1000 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      python: { type: "string" },
      "verl-python": { type: "string" },
      "tinker-python": { type: "string" },
      folder: { type: "string", default: join(projectRoot, ".cache", "interop") },
      renew: { type: "boolean", default: false },
    },
  });
  const only = values.only?.split(",") ?? checks.map(({ name }) => name);
  const unknown = only.find((given) => !checks.some((check) => names(given, check)));
  if (unknown !== undefined) throw new Error(`--only must name some of ${checks.map(({ name }) => name).join(", ")}, got ${unknown}`);
  await buildWhatIsMissing();
  const chosen = checks.filter((check) => only.some((given) => names(given, check)));
  const isOne = new Set(chosen.map(environmentOf)).size === 1;
  const given = { trl: values.python, verl: values["verl-python"], tinker: values["tinker-python"] } as const;
  const pythons = new Map<EnvironmentName, string>();
  const outcomes: Outcome[] = [];
  for (const check of chosen) {
    const environment = environmentOf(check);
    if (!pythons.has(environment))
      pythons.set(
        environment,
        given[environment] ?? (isOne ? values.python : undefined) ?? (await ownPython(environment, values.folder, values.renew)),
      );
    const outcome = await outcomeOf(check, pythons.get(environment)!);
    console.log(`${outcome.isHeld ? "ok  " : "FAIL"} ${check.name}: ${outcome.seen} (${outcome.seconds.toFixed(0)} s)`);
    outcomes.push(outcome);
    // One by one: what was seen stays where a later check is broken off.
    writeDocument([outcome]);
  }
  const failed = outcomes.filter(({ isHeld }) => !isHeld).length;
  console.log(`${outcomes.length - failed} passed, ${failed} failed; docs/interop.md tells what was seen`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
