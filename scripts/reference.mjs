// npm run reference: makes the numbers of test/reference again with Python and compares them with those
// committed (--write: writes them). Sets up its own Python environment under .cache, or uses the Python
// given by --python or REFERENCE_PYTHON. Neither npm start nor npm test needs it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot, runProgram } from "./environment.mjs";

const folder = join(projectRoot, "test", "reference");
const requirements = join(folder, "requirements.txt");

/** @param {string} command @param {readonly string[]} args */
async function run(command, args) {
  // The environment that this sets up is used on its own terms: nothing fetched, no caches beside the sources.
  const code = await runProgram(command, args, { HF_HUB_OFFLINE: "1", PYTHONDONTWRITEBYTECODE: "1", PYTHONWARNINGS: "ignore" });
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")}: exit code ${code}`);
}

/** A virtual environment with exactly the required packages; made anew when the requirements change. */
async function ownPython() {
  const environment = join(projectRoot, ".cache", "reference-python");
  const python = process.platform === "win32" ? join(environment, "Scripts", "python.exe") : join(environment, "bin", "python");
  const wanted = readFileSync(requirements, "utf8");
  const stamp = join(environment, "requirements.txt");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return python;
  console.log(`Setting up ${environment} (some minutes, a few GB)`);
  await run(process.platform === "win32" ? "python" : "python3", ["-m", "venv", "--clear", environment]);
  await run(python, ["-m", "pip", "install", "--quiet", "-r", requirements]);
  writeFileSync(stamp, wanted);
  return python;
}

async function main() {
  const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, python: { type: "string" } } });
  const python = values.python ?? process.env.REFERENCE_PYTHON ?? (await ownPython());
  await run(python, [join(folder, "regenerate.py"), ...(values.write ? ["--write"] : [])]);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
