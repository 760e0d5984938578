// Bundles the service worker to dist/offline.js, a classic script beside the page, since it governs what lies at and below it.
import { build } from "vite";
import { projectRoot } from "../environment.mjs";
import { WORKER } from "../serve/offlineFiles.mjs";

/** Writes it without its list of files; rejects where that fails. */
export async function buildOffline() {
  await build({
    ...{ root: projectRoot, configFile: false, logLevel: "warn", publicDir: false },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      lib: { entry: "workers/offline/offline.ts", formats: ["iife"], name: "offline", fileName: () => WORKER },
      ...{ outDir: "dist", emptyOutDir: false, target: "chrome120", minify: true, reportCompressedSize: false },
    },
  });
}
