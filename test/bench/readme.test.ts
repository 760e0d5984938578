// The README's block is rewritten between its marks and nowhere else.
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workloadOf } from "../../bench/measure/workload.ts";
import { machineSlug } from "../../bench/report/machine.ts";
import { CLOSE_MARK, newestBlock, OPEN_MARK, replaceBlock, writeReadme } from "../../bench/report/readme.ts";
import type { BenchResult, PeerResult } from "../../bench/report/result.ts";
import { summary } from "../../bench/report/summary.ts";
import { resultTables } from "../../bench/report/tables.ts";
import { projectRoot } from "../../scripts/environment.mjs";

const machine = { cpu: "Chip(R) X-1", cores: 2, memoryGiB: 8, system: "Linux 6", node: "v22.0.0", nodeFlags: [], gpu: null };

function resultAt(measuredAt: string, cpu: string): BenchResult {
  return {
    version: 1,
    measuredAt,
    machine: { ...machine, cpu, browser: null, browserFlags: [], loadBefore: 0 },
    workload: "Everyone does the same.",
    quick: false,
    sizes: [],
    gpu: [],
    gpuNote: "",
    preset: null,
    presetRun: null,
    sweep: [],
  };
}

describe("the README's block", () => {
  const text = `# Title\n\n${OPEN_MARK}\nold\n${CLOSE_MARK}\n\nEnd.\n`;

  it("replaces what stands between the marks and keeps the rest", () => {
    expect(replaceBlock(text, "new")).toBe(`# Title\n\n${OPEN_MARK}\n\nnew\n\n${CLOSE_MARK}\n\nEnd.\n`);
  });

  it("comes out the same when it is written twice", () => {
    const once = replaceBlock(text, "new");
    expect(replaceBlock(once, "new")).toBe(once);
  });

  it.each([
    ["a mark is missing", `${OPEN_MARK} only`, `must hold ${CLOSE_MARK} once, found 0`],
    ["a mark is there twice", `${OPEN_MARK}${OPEN_MARK}${CLOSE_MARK}`, `must hold ${OPEN_MARK} once, found 2`],
    ["the marks are turned round", `${CLOSE_MARK}${OPEN_MARK}`, "must come after"],
  ])("is refused where %s", (_what, broken, message) => {
    expect(() => replaceBlock(broken, "new")).toThrow(message);
  });

  it("shows the measurement that was made last, whatever its file is called", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bench-"));
    await writeFile(join(folder, "b.json"), JSON.stringify(resultAt("2026-01-01T00:00:00Z", "Old chip")));
    await writeFile(join(folder, "a.json"), JSON.stringify(resultAt("2026-02-01T00:00:00Z", "New chip")));
    const readme = join(folder, "README.md");
    await writeFile(readme, text);
    expect(await writeReadme(readme, folder)).toBe("a.json");
    const written = await readFile(readme, "utf8");
    expect(written).toContain("New chip");
    expect(written).not.toContain("Old chip");
  });

  it("is that of the newest results the project holds (npm run bench -- --readme)", async () => {
    const readme = await readFile(join(projectRoot, "README.md"), "utf8");
    const { block } = await newestBlock(join(projectRoot, "bench/results"));
    expect(replaceBlock(readme, block)).toBe(readme);
  });
});

describe("a result's file name", () => {
  it("is made of the processor, its cores and the GPU, and of no date", () => {
    expect(machineSlug(machine)).toBe("chip-x-1-2-cores");
    expect(machineSlug({ ...machine, gpu: "nvidia Big One" })).toBe("chip-x-1-2-cores-nvidia-big-one");
  });
});

const measured = (value: number) => ({ value, interval: [value - 0.1, value + 0.1] as const });
const trl = {
  ...{ version: "9.9", seeds: [0, 1], steps: 40, completions: 64, threads: 2 },
  ...{ ownSeconds: 0.1, ownMeasuredSeconds: 0.12, trlSeconds: 0.345, ratios: [3.2, 3.7] },
  windows: [{ first: 1, last: 10, own: measured(0.25), trl: measured(0.3), difference: measured(0.05) }],
};

describe("TRL's training step beside ours", () => {
  const result = { ...resultAt("2026-01-01T00:00:00Z", "Chip"), trl };

  it("stands in the tables against our step without the pass that TRL does not make", () => {
    const tables = resultTables(result);
    expect(tables).toContain("| TRL 9.9 on PyTorch | 0.345 | 3.45x |");
    expect(tables).toContain("for its readings | 0.120 | 1.2x |");
    expect(tables).toContain("Single seeds: 3.2x, 3.7x.");
    expect(tables).toContain("| 1 to 10 | 0.250 (0.150 to 0.350) | 0.300 (0.200 to 0.400) | 0.050 (-0.050 to 0.150) |");
  });

  it("is one sentence of the summary, and nothing where TRL was not found", () => {
    expect(summary(result)).toContain("takes 3.45 times as long as ours (2 seeds).");
    expect(summary({ ...result, trl: null })).not.toContain("TRL");
  });
});

describe("the summary", () => {
  it("says how many times as long each other peer takes, in its own runtime", () => {
    const timing = (medianMs: number) => ({ medianMs, fastestMs: medianMs, slowestMs: medianMs, samples: 1 }) as never;
    const peer = (engine: PeerResult["spec"]["engine"], threads: number, ms: number, runtime: PeerResult["spec"]["runtime"] = "node") =>
      ({
        title: engine,
        spec: { engine, runtime, threads, ...(engine === "wasm" ? { build: "relaxed" } : {}) },
        train: timing(ms),
        decode: timing(64 * ms),
        iteration: timing(ms),
        tokensPerSecond: 5,
        peak: engine === "wasm" ? { gflops: 60, products: [], trainShare: 0.755, decodeShare: 0.5 } : null,
      }) as unknown as PeerResult;
    const peers = [
      peer("wasm", 1, 19),
      peer("wasm", 2, 10),
      peer("jax-js", 1, 123),
      peer("pytorch", 1, 70, "python"),
      peer("pytorch", 2, 40, "python"),
    ];
    const size = { size: "tiny", workload: workloadOf("tiny"), trainFlops: 1, decodeFlops: 1, rounds: 3, peers, missing: [] };
    const text = summary({ ...resultAt("2026-01-01T00:00:00Z", "Chip"), sizes: [size] });
    expect(text).toContain("| tiny, Node | 10 | 10 | 5 | 76 % | 1.9x | 4x |  |  |  | 12.3x |");
    expect(text).not.toContain("Chromium |");
  });
});
