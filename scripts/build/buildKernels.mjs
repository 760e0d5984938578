// Compiles src/kernels/assembly to public/kernels/engine-{relaxed,plain}{,-shared}.wasm. Does nothing
// where the outputs are newer than every source. Builds go to a temporary name first, so that two
// builds at once never leave half a file.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = join(root, "src/kernels/assembly");
const outputs = join(root, "public/kernels");

/** The builds: fused multiply-add or not, memory shared between threads or not. */
const builds = [
  { name: "engine-relaxed", relaxed: true, shared: false },
  { name: "engine-relaxed-shared", relaxed: true, shared: true },
  { name: "engine-plain", relaxed: false, shared: false },
  { name: "engine-plain-shared", relaxed: false, shared: true },
];

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isFresh() {
  const newest = Math.max(
    modified(fileURLToPath(import.meta.url)),
    ...readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => modified(join(sources, name))),
  );
  return builds.every(({ name }) => modified(join(outputs, `${name}.wasm`)) > newest);
}

function optionsOf({ relaxed, shared }, file) {
  const features = ["--enable", "simd", "--enable", "threads", "--enable", "bulk-memory"];
  if (relaxed) features.push("--enable", "relaxed-simd");
  // 2 GiB, so that a byte address stays positive as a 32-bit integer.
  const memory = ["--importMemory", "--maximumMemory", "32768"];
  if (shared) memory.push("--sharedMemory");
  return [
    "index.ts",
    "--baseDir",
    sources,
    "--outFile",
    relative(sources, file),
    "--runtime",
    "stub",
    "--use",
    "abort=",
    "-O3",
    "--noAssert",
    ...memory,
    ...features,
  ];
}

async function compile(build) {
  const { default: asc } = await import("assemblyscript/asc");
  const target = join(outputs, `${build.name}.wasm`);
  const temporary = `${target}.${process.pid}.tmp`;
  const { error, stderr } = await asc.main(optionsOf(build, temporary));
  if (error) {
    rmSync(temporary, { force: true });
    throw new Error(`kernels do not compile (${build.name}): ${error.message}\n${stderr.toString()}`);
  }
  renameSync(temporary, target);
}

/** Builds what is out of date, on two threads, since the compiler has one; returns whether anything was built. */
export async function buildKernels() {
  if (isFresh()) return false;
  mkdirSync(outputs, { recursive: true });
  const halves = [true, false].map((relaxed) => builds.filter((build) => build.relaxed === relaxed));
  await Promise.all(
    halves.map(
      (kernels) =>
        new Promise((resolve, reject) => {
          const thread = new Worker(new URL(import.meta.url), { workerData: { kernels } });
          thread.once("error", reject);
          thread.once("exit", resolve);
        }),
    ),
  );
  return true;
}

if (!isMainThread) for (const build of workerData?.kernels ?? []) await compile(build);
else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await buildKernels();
  console.log(built ? `built ${builds.length} kernel modules in public/kernels` : "kernels are up to date");
}
