// Tests without a browser. "engine", "gpu" and "pure" mirror src/; "build" reads what a finished build left in dist/.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { nodeFlags } from "./scripts/environment.mjs";
import { softwareGpuVariables } from "./scripts/testing/browser.mjs";
import { LongestFirst } from "./scripts/testing/vitestOrder.mjs";

// The Vulkan loader reads these when a process starts, so they must be there before a worker is.
Object.assign(process.env, softwareGpuVariables());

/**
 * What leaves no state behind that others would meet: its files share a process, where each module is loaded
 * once, which takes a second for each file that reads the engine. The tests of the page's own engine, and of what stands
 * in for a browser, lie directly in test/ui.
 */
const PURE = [
  ...["rl", "protocol", "traces", "train", "cli", "export", "library", "bench", "model/wasm"].map((room) => `test/${room}/**/*.test.ts`),
  "test/{model,kernels}/*.test.ts",
  "test/model/{folder,hub,lora,remote,renderers}/**/*.test.ts",
  "test/ui/*/**/*.test.ts",
  "test/ui/*/**/*.test.tsx",
];

/** Tests on a GPU end the device that they share, so each has a process of its own. */
const ON_GPU = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts") && /gpuForTests|sharedGpu|smallTraining/.test(readFileSync(join("test", path), "utf8")))
  .map((path) => join("test", path));

export default defineConfig({
  test: {
    pool: "forks",
    execArgv: [...nodeFlags],
    maxWorkers: 2,
    setupFiles: ["test/support/equalBytes.ts"],
    sequence: { sequencer: LongestFirst },
    // Only to end what hangs: WebGPU in software takes a minute where a busy machine has two cores.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The software GPU and a stalled machine can spoil one try: what needed the second is named at the end of npm test,
    // and fails the long run before work is handed over.
    retry: process.env.TEST_LONG === "1" ? 0 : 1,
    projects: [
      {
        extends: true,
        test: {
          name: "engine",
          include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
          exclude: ["test/browser/**", "test/browsers/**", "test/build/**", "test/pretrained/**", ...PURE, ...ON_GPU],
        },
      },
      { extends: true, test: { name: "gpu", include: ON_GPU } },
      { extends: true, test: { name: "pure", include: PURE, exclude: ON_GPU, isolate: false } },
      // Each goes on where the one before it in its file ended, so a second try would be of something else.
      { extends: true, test: { name: "browsers", include: ["test/browsers/*.test.ts"], retry: 0 } },
      { extends: true, test: { name: "build", include: ["test/build/**/*.test.ts"] } },
      // They bring a real model first: npm run test:models.
      ...(process.env.TEST_MODELS === "1"
        ? [{ extends: true as const, test: { name: "pretrained", include: ["test/pretrained/**/*.test.ts"] } }]
        : []),
    ],
  },
});
