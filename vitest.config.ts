import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/**/*.test.ts", "test/**/*.test.tsx"], exclude: ["test/browser/**"], pool: "forks", testTimeout: 30_000, maxWorkers: 2 },
});
