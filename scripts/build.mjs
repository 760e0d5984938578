// Builds what the page is served from: the WASM kernels, the bundle, the page's policy, a compressed copy
// of each file and a stamp of the sources, by which the next start knows that nothing has to be built again.
// Beside it the command line and the library, which share the kernels and the checkpoints.
// Usage: node scripts/build.mjs [--kernels] [--base URL], addresses of the page beginning with URL in the place of relative ones
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { buildOffline } from "./build/buildOffline.mjs";
import { isProgram, projectRoot, runNode } from "./environment.mjs";
import { withPolicy } from "./serve/contentPolicy.mjs";
import { writeOfflineFiles } from "./serve/offlineFiles.mjs";

const SOURCES = [
  "src",
  "workers",
  "public",
  "scripts/build.mjs",
  "scripts/build/buildCli.mjs",
  "scripts/build/buildLibrary.mjs",
  "scripts/build/buildKernels.mjs",
  "scripts/build/buildSandbox.mjs",
  "scripts/build/buildOffline.mjs",
  "scripts/serve/offlineFiles.mjs",
  "scripts/serve/contentPolicy.mjs",
  "scripts/build/tokenizerHalf.mjs",
  "index.html",
  "vite.config.ts",
  "package-lock.json",
  "tsconfig.base.json",
  "tsconfig.json",
];
/** Made by the build itself. Python leaves compiled copies beside what it imports, which are no sources either. */
const GENERATED = ["kernels", "sandbox"].map((name) => join("public", name));
const STAMP = join(projectRoot, "dist", ".stamp");
const COMPRESSED = new Set([".html", ".js", ".css", ".json", ".svg", ".wasm", ".txt", ".map", ".jinja"]);
const SMALLEST_COMPRESSED_BYTES = 1024;

/**
 * @param {string} path from the project folder
 * @returns {string[]} paths of the files at and below it, sorted
 */
function filesBelow(path) {
  if (GENERATED.includes(path) || path.endsWith("__pycache__") || !existsSync(join(projectRoot, path))) return [];
  try {
    return readdirSync(join(projectRoot, path))
      .sort()
      .flatMap((name) => filesBelow(join(path, name)));
  } catch {
    return [path];
  }
}

/** Hash of every file the build reads. */
function sourceStamp() {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap(filesBelow))
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(projectRoot, path)))
      .update("\0");
  return hash.digest("hex");
}

/** Whether dist/ was built from the sources as they are now. */
export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === sourceStamp();
}

/** Builds unless dist/ is of these sources. Throws where a build fails, whose messages are printed by then. */
export async function buildWhatIsMissing() {
  if (isBuilt()) return;
  console.error("Building");
  const code = await build();
  if (code !== 0) throw new Error(`the build failed with code ${code}; its messages are above`);
}

/** Compiles the WASM kernels to public/kernels and bundles the sandbox to public/sandbox, at once; resolves to an exit code. */
export async function buildKernels() {
  const codes = await Promise.all(["buildKernels", "buildSandbox"].map((script) => runNode(`scripts/build/${script}.mjs`)));
  return firstFailure(codes);
}

/** @param {readonly number[]} codes */
const firstFailure = (codes) => codes.find((code) => code !== 0) ?? 0;

/** Writes FILE.br and FILE.gz beside every file of dist/ that gets smaller by it. */
async function compress() {
  const [brotli, deflate] = [promisify(brotliCompress), promisify(gzip)];
  const compressed = filesBelow("dist").filter((path) => COMPRESSED.has(extname(path)));
  await Promise.all(
    compressed.map(async (path) => {
      const bytes = readFileSync(join(projectRoot, path));
      if (bytes.length < SMALLEST_COMPRESSED_BYTES) return;
      const file = join(projectRoot, path);
      // Quality 9 is within a few per cent of 11 at a tenth of its time.
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      writeFileSync(`${file}.br`, await brotli(bytes, { params }));
      writeFileSync(`${file}.gz`, await deflate(bytes, { level: 9 }));
    }),
  );
}

/** Puts the policy into the page. */
function addPolicy() {
  const page = join(projectRoot, "dist", "index.html");
  writeFileSync(page, withPolicy(readFileSync(page, "utf8")));
}

/**
 * The address that a build is for, which ends in a slash.
 * @param {readonly string[]} args
 */
function baseIn(args) {
  const { base } = parseArgs({ args: [...args], options: { base: { type: "string", default: "./" } } }).values;
  if (!/^(\.\/|\/([\w.~-]+\/)*|https?:\/\/.+\/)$/.test(base))
    throw new Error(`--base must be a path or an address that ends in "/", such as /lab/, got "${base}"`);
  return base;
}

/** Kernels, bundle, policy, service worker and compressed copies; resolves to an exit code. @param {string} base */
async function buildPage(base) {
  const kernels = await buildKernels();
  if (kernels !== 0) return kernels;
  const bundle = await runNode("node_modules/vite/bin/vite.js", ["build", "--logLevel", "warn", "--base", base]);
  if (bundle !== 0) return bundle;
  addPolicy();
  await buildOffline();
  writeOfflineFiles(join(projectRoot, "dist"));
  await compress();
  return 0;
}

/** The page, and beside it the command line and the library, which read nothing of it; resolves to an exit code. */
export async function build(base = "./") {
  const stamp = sourceStamp();
  const programs = ["buildCli", "buildLibrary"].map((script) => runNode(`scripts/build/${script}.mjs`));
  const code = firstFailure(await Promise.all([buildPage(base), ...programs]));
  if (code === 0) writeFileSync(STAMP, stamp);
  return code;
}

if (isProgram(import.meta.url)) {
  process.exitCode = process.argv.includes("--kernels") ? await buildKernels() : await build(baseIn(process.argv.slice(2)));
}
