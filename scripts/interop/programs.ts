// The programs that a check or a measurement runs: the built command line and a Python.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../environment.mjs";
import type { Interop } from "./check.ts";

const PROGRAM = join(projectRoot, "dist-cli", "bin", "rollout-lab.js");
const VARIABLES = { HF_HUB_OFFLINE: "1", TOKENIZERS_PARALLELISM: "false", PYTHONDONTWRITEBYTECODE: "1", PYTHONWARNINGS: "ignore" };

/** Runs a program to its end; rejects with the last lines that it said. */
function output(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, encoding: "utf8", maxBuffer: 2 ** 28, env: { ...process.env, ...VARIABLES } } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-12).join("\n");
      reject(new Error(said === "" ? error.message : said));
    });
  });
}

/** Both programs, run in `folder`. */
export function interopIn(folder: string, interpreter: string): Interop {
  return {
    folder,
    interpreter,
    async lab(...args) {
      return JSON.parse(await output(process.execPath, [PROGRAM, ...args, "--json"], folder)) as Readonly<Record<string, unknown>>;
    },
    async python(program, ...args) {
      const path = program.includes("/") || program.startsWith("-") ? program : join(projectRoot, "scripts", "interop", "python", program);
      return (await output(interpreter, [path, ...args], folder)).trim().split("\n").at(-1) ?? "";
    },
  };
}
