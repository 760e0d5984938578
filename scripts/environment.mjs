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
 * What npm knows of one package of the lock file, or of a folder of this project ("" and "test").
 * @typedef {{ version?: string, optional?: boolean, link?: boolean } & Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string> | undefined>} Locked
 */

/**
 * @param {string} path
 * @returns {Record<string, Locked>}
 */
function lockedPackages(path) {
  try {
    return JSON.parse(readFileSync(join(projectRoot, path), "utf8")).packages;
  } catch {
    return {};
  }
}

/**
 * Where Node finds a package from the folder of another: beside it, or further up.
 * @param {Record<string, Locked>} locked
 * @param {string} from
 * @param {string} name
 */
function placeOf(locked, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = `${folder}/node_modules/${name}`.replace(/^\//, "");
    if (locked[place] || folder === "") return place;
  }
}

/**
 * Packages that the lock file has for folders of this project and node_modules lacks or has in another version.
 * @param {readonly string[]} folders "" for what the page, the program and their build need, "test" for what only tests do
 */
export function missingPackages(folders) {
  const locked = lockedPackages("package-lock.json");
  const installed = lockedPackages("node_modules/.package-lock.json");
  const places = new Set(folders);
  // A set hands out what is added while it is walked.
  for (const place of places) {
    const { dependencies, devDependencies, optionalDependencies } = locked[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }))
      places.add(placeOf(locked, place, name));
  }
  return [...places]
    .filter((place) => !folders.includes(place) && !locked[place]?.optional && installed[place]?.version !== locked[place]?.version)
    .map((place) => place.replace(/^.*node_modules\//, ""));
}

/**
 * Installs the locked packages where some are missing; ends the process where that fails.
 * @param {{ forTests?: boolean }} [asked] whether what only tests need is wanted too
 */
export async function installWhatIsMissing({ forTests = false } = {}) {
  const missing = missingPackages(forTests ? ["", "test"] : [""]);
  if (missing.length === 0) return;
  const some = missing.slice(0, 3).join(", ") + (missing.length > 3 ? ", ..." : "");
  console.log(`Installing packages (${missing.length} missing: ${some})`);
  const scope = forTests ? [] : ["--workspaces=false"];
  const code = await runNpm(["ci", "--include=dev", ...scope, "--no-audit", "--no-fund", "--loglevel=error"]);
  if (code === 0) return;
  console.error(`npm ci failed with code ${code}; its messages are above.`);
  process.exit(1);
}
