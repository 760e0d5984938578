// Bundles the library to dist-lib: three entries, one each for every program, for Node and for browsers, which
// share their parts. With --types its declarations as well, which takes a run of the compiler and which only a
// package that leaves the house needs. Usage: node scripts/buildLibrary.mjs [--types]
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { isProgram, projectRoot, runNode } from "./environment.mjs";
import { tokenizerHalf } from "./tokenizerHalf.mjs";

const FOLDER = "dist-lib";

/** Writes dist-lib/js; rejects where that fails. */
export async function buildLibrary() {
  await build({
    root: projectRoot,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    resolve: { alias: tokenizerHalf },
    ssr: { noExternal: [/^@xenova\/transformers/, /^@huggingface/, /^onnxruntime/] },
    // Nothing here is a page of a development server.
    define: { "import.meta.env.DEV": "false" },
    build: {
      ssr: true,
      // Two folders deep, as the sources of Node's host lie: public/ is at ../../.
      outDir: `${FOLDER}/js`,
      emptyOutDir: true,
      target: "es2022",
      minify: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4096,
      rolldownOptions: {
        input: { index: "src/library/index.ts", node: "src/cli/libraryNode.ts", browser: "workers/libraryBrowser.ts" },
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
}

/** Writes dist-lib/types; resolves to an exit code. */
async function buildTypes() {
  const code = await runNode("node_modules/typescript/bin/tsc", ["-p", "tsconfig.library.json"]);
  if (code !== 0) return code;
  const folder = join(projectRoot, FOLDER, "types");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    // A declaration may not name a source file.
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
  }
  return 0;
}

if (isProgram(import.meta.url)) {
  await buildLibrary();
  if (process.argv.includes("--types")) process.exitCode = await buildTypes();
}
