// Bundles the command line to dist-cli/bin, so that it starts without transforming anything. The libraries
// that every run needs are in the bundle; those that only some backends need stay packages and are loaded
// when such a backend is tried. Usage: node scripts/build/buildCli.mjs
import { build } from "vite";
import { isProgram, projectRoot } from "../environment.mjs";
import { tokenizerHalf } from "./tokenizerHalf.mjs";

/** Writes dist-cli/; rejects where that fails. */
export async function buildCli() {
  await build({
    root: projectRoot,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    resolve: { alias: tokenizerHalf },
    ssr: {
      noExternal: [
        /^zod/,
        /^@noble/,
        /^yaml/,
        /^@bufbuild/,
        /^fflate/,
        /^hyparquet/,
        /^fzstd/,
        /^hysnappy/,
        /^@xenova\/transformers/,
        /^@huggingface/,
        /^onnxruntime/,
      ],
    },
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
