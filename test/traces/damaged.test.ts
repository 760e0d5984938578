// Files that are damaged or made to do harm: each opens, or is refused by a sentence.
import { describe, expect, it } from "vitest";
import { openTraces } from "../../src/traces/openTraces.ts";
import { type DamagedFile, damagedFiles, hostileTraces } from "../support/damagedTraces.ts";
import { sampleFiles } from "../support/traceFiles.ts";

const FOLDERS = ["trl", "verl", "prime-rl", "verifiers", "verifiers-words", "verifiers-v0", "tinker"];

/** What is wrong with how a file was taken; null where it opened, or a sentence refused it. */
async function harmOf({ does, file }: DamagedFile): Promise<string | null> {
  const isSentence = (text: string) =>
    text.length > 8 && text.length < 1000 && !/undefined|\[object|internal:|Cannot read|is not a function/.test(text);
  try {
    const set = await openTraces([file], {});
    const said = [...set.report.notes, ...set.report.broken.first.map(({ where, why }) => `${where} ${why}`)];
    const wrong = said.find((text) => !isSentence(text));
    if (wrong !== undefined) return `${does}: ${wrong}`;
    for (const step of set.report.steps.slice(0, 3)) {
      const groups = await set.groups(step);
      structuredClone(groups);
      for (const { tokens, pieces, sampled, channels } of groups.flatMap(({ trajectories }) => trajectories))
        if (pieces.length !== tokens.length || sampled.length !== tokens.length || channels.mask.length !== tokens.length)
          return `${does}: lengths differ`;
    }
    structuredClone([set.report, set.steps, set.rows]);
    return null;
  } catch (error) {
    return error instanceof Error && isSentence(error.message) ? null : `${does}: ${String(error)}`;
  }
}

async function harmsOf(files: readonly DamagedFile[]): Promise<readonly string[]> {
  const harms: string[] = [];
  for (const each of files) {
    const harm = await harmOf(each);
    if (harm !== null) harms.push(harm);
  }
  return harms;
}

describe("files of rollouts", () => {
  it("open or are refused by a sentence when they are damaged in 500 ways", async () => {
    const samples = await Promise.all(
      FOLDERS.flatMap(sampleFiles)
        .filter(({ path }) => /\.(jsonl|parquet)$/.test(path))
        .map(async (file) => ({ path: file.path, bytes: await file.read(0, file.size) })),
    );
    expect(await harmsOf(damagedFiles(samples, 500, 1))).toEqual([]);
  });

  it("open or are refused by a sentence when they are made to do harm", async () => {
    const files = hostileTraces();
    expect(files.length).toBeGreaterThan(100);
    expect(await harmsOf(files)).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
