// The benchmark as it is run, shortly: the page's build is this project's own, so what a build demands of the page
// that people open must not be asked of the benchmark's.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { BenchResult } from "../../bench/report/result.ts";
import { nodeFlags, projectRoot } from "../../scripts/environment.mjs";

describe("the benchmark", () => {
  it("times the kernels in Node and in a browser's worker", async () => {
    const asked = ["--quick", "--chromium", "--sizes", "tiny", "--peers", "wasm-relaxed", "--threads", "2", "--rounds", "1", "--json"];
    const args = [...nodeFlags, "scripts/run.mjs", "bench/main.ts", ...asked];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot, maxBuffer: 2 ** 24 });
    const { sizes, machine } = JSON.parse(stdout) as BenchResult;
    expect(machine.browser).toMatch(/^chromium \d/);
    expect(sizes.map(({ size, missing }) => ({ size, missing }))).toEqual([{ size: "tiny", missing: [] }]);
    const told = sizes.flatMap(({ peers }) => peers);
    expect(told.map(({ peer }) => peer)).toEqual(["wasm-relaxed-node-2t", "wasm-relaxed-chromium-2t"]);
    for (const { iteration, tokensPerSecond } of told) {
      expect(iteration.medianMs).toBeGreaterThan(0);
      expect(tokensPerSecond).toBeGreaterThan(0);
    }
  });
});
