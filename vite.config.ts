// The bundle: the page, its workers and the files they fetch.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { EXAMPLES } from "./src/ui/runs/replay/examples.ts";

/** Shared memory, and with it threads, needs a page isolated from other origins. */
const isolation = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

const tfjsWasm = ["tfjs-backend-wasm.wasm", "tfjs-backend-wasm-simd.wasm", "tfjs-backend-wasm-threaded-simd.wasm"];

/** Offers the compiled kernels of tfjs under tfjs/, where setWasmPaths points, by their own names. */
function serveTfjsWasm(): Plugin {
  const folder = dirname(createRequire(import.meta.url).resolve("@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm"));
  return {
    name: "serve-tfjs-wasm",
    configureServer(server) {
      server.middlewares.use("/tfjs", (request, response, next) => {
        const name = basename((request.url ?? "").split("?")[0] ?? "");
        if (!tfjsWasm.includes(name)) return next();
        response.setHeader("Content-Type", "application/wasm");
        response.end(readFileSync(join(folder, name)));
      });
    },
    generateBundle() {
      for (const name of tfjsWasm) this.emitFile({ type: "asset", fileName: `tfjs/${name}`, source: readFileSync(join(folder, name)) });
    },
  };
}

/** The component library's own words come in 34 languages; the page speaks English alone. */
function englishAlone(): Plugin {
  const others = /\/react-aria(?:-components)?\/.*\/intl\/(?:.*\/)?(?!en-US)[a-z]{2}-[A-Z]{2}\.mjs$/;
  return { name: "english-alone", load: { filter: { id: others }, handler: () => "export default {};" } };
}

/** Tells the page, before its script is there, which files the recording on its landing page consists of. */
function landingAhead(): Plugin {
  let base = "./";
  // The benchmark's page is built by this configuration too, from a folder of its own, and lands on nothing.
  let lands = true;
  return {
    name: "landing-ahead",
    configResolved: (config) => {
      base = config.base;
      lands = config.root === import.meta.dirname;
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (!bundle || !lands) return html;
        const part = Object.values(bundle).find((file) => file.type === "chunk" && file.name === "LandingRecording");
        if (part?.type !== "chunk" || !html.includes(LANDING)) throw new Error("the landing page's recording is no part of its own");
        const files = [
          ...[part.fileName, ...part.imports.filter((name) => !html.includes(name))].map((name) => ["modulepreload", "script", name]),
          ...[...(part.viteMetadata?.importedCss ?? [])].map((name) => ["preload", "style", name]),
          ["preload", "fetch", `examples/${EXAMPLES[0]?.id}.json`],
        ];
        return html.replace(LANDING, `const landing = ${JSON.stringify(files.map(([rel, as, name]) => [rel, as, base + name]))};`);
      },
    },
  };
}

const LANDING = "const landing = [];";

export default defineConfig({
  // Relative, so that the build works in any folder of any host.
  base: "./",
  plugins: [react(), englishAlone(), serveTfjsWasm(), landingAhead()],
  resolve: {
    // Only the tokenizer half of the transformers package is used: its inference runtime is replaced
    // by the runtime's types and errors, which saves a download of 26 MB.
    alias: [{ find: /^onnxruntime-web(\/.*)?$/, replacement: "onnxruntime-common" }],
  },
  worker: { format: "es" },
  build: {
    target: ["chrome120", "edge120", "firefox121", "safari17.4"],
    // The page's policy allows its own files only, no files written into other ones as text.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4096,
    reportCompressedSize: false,
    // What the first screen needs is one file, which compresses better than the pieces that later parts share.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "page", tags: ["$initial"] }] },
        // The first script lists the files of all others, and hashes do not compress: seven letters tell versions apart, the fewest for more than 64 parts.
        chunkFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]",
      },
    },
  },
  server: { headers: isolation },
  preview: { headers: isolation },
});
