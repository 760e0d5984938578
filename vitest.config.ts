// Tests without a browser. "engine" and "pure" mirror src/; "build" reads what a finished build left in dist/.
import { defineConfig } from "vitest/config";
import { nodeFlags } from "./scripts/environment.mjs";
import { softwareGpuVariables } from "./scripts/testing/browser.mjs";
import { LongestFirst } from "./scripts/testing/vitestOrder.mjs";

// The Vulkan loader reads these when a process starts, so they must be there before a worker is.
Object.assign(process.env, softwareGpuVariables());

/**
 * What leaves no state behind that others would meet: its files share a process, where each module is loaded
 * once. The tests of the page's own engine, and of what stands in for a browser, lie directly in test/ui.
 */
const PURE = ["test/rl/**/*.test.ts", "test/protocol/**/*.test.ts", "test/ui/*/**/*.test.ts", "test/ui/*/**/*.test.tsx"];

export default defineConfig({
  test: {
    pool: "forks",
    execArgv: [...nodeFlags],
    maxWorkers: 2,
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
          exclude: ["test/browser/**", "test/browsers/**", "test/build/**", "test/pretrained/**", ...PURE],
        },
      },
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
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
