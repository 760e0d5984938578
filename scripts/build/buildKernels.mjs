// Compiles src/kernels/assembly to public/kernels/engine-{relaxed,plain}{,-shared}.wasm. Does nothing
// where the outputs are newer than every source. Builds go to a temporary name first, so that two
// builds at once never leave half a file.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = join(root, "src/kernels/assembly");
const outputs = join(root, "public/kernels");

/** The builds: fused multiply-add or not. Each is compiled for memory that threads share, and copied for memory of its own. */
const builds = [
  { name: "engine-relaxed", relaxed: true },
  { name: "engine-plain", relaxed: false },
];
const SHARED = "-shared";
const outputOf = (name) => join(outputs, `${name}.wasm`);

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
  return builds.every(({ name }) => [name, name + SHARED].every((each) => modified(outputOf(each)) > newest));
}

function optionsOf({ relaxed }, file) {
  const features = ["--enable", "simd", "--enable", "threads", "--enable", "bulk-memory"];
  if (relaxed) features.push("--enable", "relaxed-simd");
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
    // 2 GiB, so that a byte address stays positive as a 32-bit integer.
    ...["--importMemory", "--maximumMemory", "32768", "--sharedMemory"],
    ...features,
  ];
}

/** The first bytes of a module, and what in it says that its memory is shared: a limit above, and threads. */
const HEADER_BYTES = 8;
const [IMPORTS, MEMORY, WITH_LIMIT, SHARED_WITH_LIMIT] = [2, 2, 1, 3];

/**
 * The same module on memory of its own. Its instructions are good for either, and only the import's flags say which (WebAssembly's
 * core specification, 5.3.8 and 5.5.5).
 * @param {Uint8Array} bytes
 */
function unshared(bytes) {
  const copy = Uint8Array.from(bytes);
  let at = HEADER_BYTES;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = copy[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < copy.length) {
    const section = copy[at++];
    const end = number() + at;
    if (section !== IMPORTS) {
      at = end;
      continue;
    }
    // The memory is the first import: a count, then two names, the kind and the flags.
    number();
    for (let name = 0; name < 2; name++) at = number() + at;
    if (copy[at] !== MEMORY || copy[at + 1] !== SHARED_WITH_LIMIT) break;
    copy[at + 1] = WITH_LIMIT;
    return copy;
  }
  throw new Error("internal: the kernels' first import is no shared memory with a limit");
}

async function compile(build) {
  const { default: asc } = await import("assemblyscript/asc");
  const temporary = `${outputOf(build.name)}.${process.pid}.tmp`;
  const { error, stderr } = await asc.main(optionsOf(build, temporary));
  if (error) {
    rmSync(temporary, { force: true });
    throw new Error(`kernels do not compile (${build.name}): ${error.message}\n${stderr.toString()}`);
  }
  const bytes = readFileSync(temporary);
  renameSync(temporary, outputOf(build.name + SHARED));
  writeFileSync(temporary, unshared(bytes));
  renameSync(temporary, outputOf(build.name));
}

/** Builds what is out of date, on two threads, since the compiler has one; returns whether anything was built. */
export async function buildKernels() {
  if (isFresh()) return false;
  mkdirSync(outputs, { recursive: true });
  await Promise.all(
    builds.map(
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

if (!isMainThread && workerData?.kernels) await compile(workerData.kernels);
else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await buildKernels();
  console.log(built ? `built ${2 * builds.length} kernel modules in public/kernels` : "kernels are up to date");
}
