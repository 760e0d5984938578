// What every script needs before anything else: a Node that can run the project and the installed
// packages. Uses nothing but Node's own modules, because on a fresh clone there is nothing else.
import { spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the project, without a slash at the end. */
export const projectRoot = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

const MINIMUM_NODE = [20, 19];

/** Node's flag for the relaxed SIMD instructions of the kernels; on by default from version 21. */
export const nodeFlags = Number(process.versions.node.split(".")[0]) < 21 ? ["--experimental-wasm-relaxed-simd"] : [];

/**
 * Whether a module is the program that Node was asked to run, also through a linked folder.
 * @param {string} moduleUrl its import.meta.url
 */
export function isProgram(moduleUrl) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);
}

/** Ends the process with one clear line where Node is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [needMajor = 0, needMinor = 0] = MINIMUM_NODE;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  console.error(
    `Rollout Lab needs Node ${MINIMUM_NODE.join(".")} or newer; this is ${process.versions.node}. Get one from https://nodejs.org`,
  );
  process.exit(1);
}

/**
 * Runs a program in the project folder with its output on this terminal; resolves to its exit code
 * (127 where it could not be started, 1 where a signal ended it).
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} [variables] added to the environment
 * @returns {Promise<number>}
 */
export function runProgram(command, args, variables = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: projectRoot,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...variables },
    });
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(127);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/**
 * Runs a script of this project or of an installed package in Node.
 * @param {string} script path from the project folder
 * @param {readonly string[]} [args]
 * @param {Record<string, string>} [variables]
 */
export function runNode(script, args = [], variables = {}) {
  return runProgram(process.execPath, [join(projectRoot, script), ...args], variables);
}

/** @param {readonly string[]} args */
function runNpm(args) {
  const npm = process.env.npm_execpath;
  if (npm && /\.c?js$/.test(npm)) return runProgram(process.execPath, [npm, ...args]);
  // On Windows npm is a command file, which only a shell can start.
  return process.platform === "win32" ? runProgram("cmd.exe", ["/d", "/c", "npm", ...args]) : runProgram("npm", args);
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean }> | null}
 */
function lockedPackages(path) {
  try {
    return JSON.parse(readFileSync(join(projectRoot, path), "utf8")).packages;
  } catch {
    return null;
  }
}

/** Packages that package-lock.json names and node_modules lacks or has in another version. */
export function missingPackages() {
  const wanted = lockedPackages("package-lock.json") ?? {};
  const installed = lockedPackages("node_modules/.package-lock.json") ?? {};
  return Object.entries(wanted)
    .filter(([path, entry]) => path !== "" && !entry.optional && installed[path]?.version !== entry.version)
    .map(([path]) => path.replace(/^.*node_modules\//, ""));
}

/** Installs the locked packages where some are missing; ends the process where that fails. */
export async function installWhatIsMissing() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const some = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ", ..." : "");
  console.log(`Installing packages (${missing.length} missing: ${some})`);
  const code = await runNpm(["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]);
  if (code === 0) return;
  console.error(`npm ci failed with code ${code}; its messages are above.`);
  process.exit(1);
}
