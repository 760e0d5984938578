// Bundles the thread in which somebody's own code runs to public/sandbox, with the interpreter beside it: one file that
// browsers and Node run alike. Does nothing where the outputs are newer than every source.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const outputs = join(root, "public/sandbox");
const THREAD = "thread.js";
const INTERPRETER = "quickjs.wasm";

/** @param {string} path */
function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isFresh() {
  const sources = join(root, "src/rl/sandbox");
  const files = [
    ...readdirSync(sources).map((name) => join(sources, name)),
    join(root, "workers/sandbox.ts"),
    join(root, "package-lock.json"),
  ];
  const newest = Math.max(modified(fileURLToPath(import.meta.url)), ...files.map(modified));
  return [THREAD, INTERPRETER].every((name) => modified(join(outputs, name)) > newest);
}

/** Builds what is out of date; resolves to whether anything was built. */
export async function buildSandbox() {
  if (isFresh()) return false;
  const { build } = await import("vite");
  // In a folder of its own first, so that two builds at once never leave half a file.
  const folder = join(root, ".cache", `sandbox.${process.pid}`);
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    base: "./",
    // The interpreter's loader for browsers reads the module it is handed in Node as well.
    resolve: { conditions: ["browser", "import", "module", "default"] },
    build: {
      outDir: folder,
      target: "es2022",
      minify: true,
      reportCompressedSize: false,
      // The module beside the thread, not in it as text.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: join(root, "workers/sandbox.ts"),
        external: ["node:worker_threads"],
        output: { codeSplitting: false, entryFileNames: THREAD, assetFileNames: INTERPRETER },
      },
    },
  });
  mkdirSync(outputs, { recursive: true });
  for (const name of [THREAD, INTERPRETER]) renameSync(join(folder, name), join(outputs, name));
  rmSync(folder, { recursive: true });
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log((await buildSandbox()) ? "built the sandbox in public/sandbox" : "the sandbox is up to date");
}
