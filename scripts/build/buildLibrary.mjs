// Bundles the library to dist-lib: three entries, one each for every program, for Node and for browsers, which
// share their parts. With --types its declarations as well, which takes a run of the compiler and which only a
// package that leaves the house needs. Usage: node scripts/build/buildLibrary.mjs [--types]
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "vite";
import { isProgram, projectRoot, runNode } from "../environment.mjs";
import { tokenizerHalf } from "./tokenizerHalf.mjs";

const FOLDER = "dist-lib";
/** The entries, in the sources and the declarations. */
const ENTRIES = { index: "src/library/index", node: "src/cli/libraryNode", browser: "workers/libraryBrowser" };
/**
 * Names of the DOM that the declarations and zod's mention, for programs that compile without it. They are empty, so
 * that where the DOM or WebGPU's own types are there, those add to them.
 */
const GLOBALS = ["AbortSignal", "GPU", "GPUAdapterInfo", "GPUDevice", "URL"].map((name) => `interface ${name} {}\n`).join("");
/** Packed small, but errors keep the names of their classes. */
const MINIFY = { compress: true, mangle: { keepNames: { class: true, function: false } }, codegen: { removeWhitespace: true } };
const WASM = "declare namespace WebAssembly {\n  interface Module {}\n  interface Memory {}\n}\n";
const GLOBALS_FILE = "globals.d.ts";

/** The halves of packages that ask nothing of Node, since browsers load the same parts. */
const forBoth = [
  { find: /^yaml$/, replacement: join(projectRoot, "node_modules/yaml/browser/index.js") },
  { find: /^fflate$/, replacement: join(projectRoot, "node_modules/fflate/esm/browser.js") },
];

/** Writes dist-lib/js; rejects where that fails. */
export async function buildLibrary() {
  await build({
    root: projectRoot,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    resolve: { alias: [...tokenizerHalf, ...forBoth] },
    ssr: {
      noExternal: [
        /^@noble/,
        /^@bufbuild/,
        /^yaml$/,
        /^fflate$/,
        /^fzstd$/,
        /^hyparquet/,
        /^hysnappy$/,
        /^@xenova\/transformers/,
        /^@huggingface/,
        /^onnxruntime/,
      ],
    },
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
        input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, `${path}.ts`])),
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", minify: MINIFY },
      },
    },
  });
}

/**
 * The declarations of records with what their source says of each field: the compiler leaves that out where it infers a schema's type.
 * @param {string} text of the declarations @param {string} source
 */
function withComments(text, source) {
  if (!/protocol[\\/]record[\\/]/.test(source)) return text;
  const blocks = readFileSync(source, "utf8").split(/^export const /m);
  return text.replaceAll(/^export declare const (\w+):.*\{$[\s\S]*?^\}/gm, (declared, schema) => {
    const block = blocks.find((each) => each.startsWith(`${schema} =`)) ?? "";
    const said = new Map(Array.from(block.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*(\w+):/g), ([, comment, field]) => [field, comment]));
    return declared.replaceAll(/^ {4}(\w+):/gm, (line, field) => (said.has(field) ? `    ${said.get(field)}\n${line}` : line));
  });
}

/** Writes dist-lib/types; resolves to an exit code. */
export async function buildTypes() {
  const code = await runNode("node_modules/typescript/bin/tsc", ["-p", "tsconfig.library.json"]);
  if (code !== 0) return code;
  const folder = join(projectRoot, FOLDER, "types");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    const text = withComments(readFileSync(path, "utf8"), join(projectRoot, name.replace(/\.d\.ts$/, ".ts")));
    // A declaration may not name a source file.
    writeFileSync(path, text.replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, "$1$2.js$1"));
  }
  writeFileSync(join(folder, GLOBALS_FILE), GLOBALS + WASM);
  for (const entry of Object.values(ENTRIES)) {
    const path = join(folder, `${entry}.d.ts`);
    const up = relative(dirname(path), folder).replaceAll("\\", "/");
    writeFileSync(path, `/// <reference path="${up}/${GLOBALS_FILE}" />\n${readFileSync(path, "utf8")}`);
  }
  return 0;
}

if (isProgram(import.meta.url)) {
  await buildLibrary();
  if (process.argv.includes("--types")) process.exitCode = await buildTypes();
}
