// The Python environments of the checks, set up once under .cache, and the newest versions that pip finds.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { runProgram } from "../environment.mjs";

const execute = promisify(execFile);

/** What each environment holds. verl and verifiers ask for versions of their own, so they have one apart; so does SkyRL. */
export const ENVIRONMENTS = {
  trl: "torch transformers trl accelerate datasets peft jmespath pyyaml tensorboard mlflow wandb pandas".split(" "),
  verl: "torch verl verifiers".split(" "),
  tinker: "skyrl[tinker,jax]==0.3.0 torch==2.13.0 jax tinker protobuf numpy".split(" "),
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type EnvironmentName = keyof typeof ENVIRONMENTS;

const BIN = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];

/** Python of an environment of this project's own; made where it is not there or lacks a package that was added since, or anew where asked. */
export async function ownPython(name: EnvironmentName, folder: string, isRenewed: boolean): Promise<string> {
  const environment = join(folder, name);
  const python = join(environment, ...BIN);
  const stamp = join(environment, "complete");
  const packages = `${ENVIRONMENTS[name].join("\n")}\n`;
  if (!isRenewed && existsSync(stamp) && readFileSync(stamp, "utf8") === packages) return python;
  console.log(`Setting up ${environment} (some minutes, a few GB)`);
  const run = async (program: string, args: readonly string[]) => {
    const code = await runProgram(program, args);
    if (code !== 0) throw new Error(`${[program, ...args].join(" ")}: exit code ${code}`);
  };
  if (!existsSync(python)) await run(process.platform === "win32" ? "python" : "python3", ["-m", "venv", environment]);
  await run(python, ["-m", "pip", "install", "--quiet", "--upgrade", ...ENVIRONMENTS[name]]);
  writeFileSync(stamp, packages);
  return python;
}

const ASK = `import importlib.metadata as m, json, platform, sys
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return None
print(json.dumps({"python": platform.python_version(), **{name: version(name) for name in sys.argv[1:]}}))`;

/** Versions of packages, null where one is missing, and of Python itself. Rejects where there is no such Python. */
export async function versionsOf(python: string, packages: readonly string[]): Promise<Readonly<Record<string, string | null>>> {
  const { stdout } = await execute(python, ["-c", ASK, ...packages]);
  return JSON.parse(stdout) as Readonly<Record<string, string | null>>;
}
