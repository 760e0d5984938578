// Bundles the command line to dist-cli/bin, so that it starts without transforming anything. The libraries
// that every run needs are in the bundle; those that only some backends need stay packages and are loaded
// when such a backend is tried. Usage: node scripts/buildCli.mjs
import { join } from "node:path";
import { build } from "vite";
import { isProgram, projectRoot } from "./environment.mjs";

/** Writes dist-cli/; rejects where that fails. */
export async function buildCli() {
  await build({
    root: projectRoot,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    // As in vite.config.ts: only the tokenizer half of the transformers package is used.
    // Its build for browsers, since the one for Node loads a library of images.
    resolve: {
      alias: [
        { find: /^onnxruntime-(web|node)(\/.*)?$/, replacement: "onnxruntime-common" },
        { find: /^@xenova\/transformers$/, replacement: join(projectRoot, "node_modules/@xenova/transformers/dist/transformers.web.js") },
      ],
    },
    ssr: { noExternal: [/^zod/, /^yaml/, /^@xenova\/transformers/, /^@huggingface/, /^onnxruntime/] },
    build: {
      ssr: "src/cli/lab/main.ts",
      // Two folders deep, as the sources lie in src/cli: both find public/ and package.json at ../../.
      outDir: "dist-cli/bin",
      emptyOutDir: true,
      target: "node20",
      minify: true,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4096,
      rolldownOptions: {
        output: {
          entryFileNames: "rollout-lab.js",
          chunkFileNames: "[name]-[hash].js",
          banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
        },
      },
    },
  });
}

if (isProgram(import.meta.url)) await buildCli();
