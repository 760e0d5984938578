// The one file that says where the kernels' words lie: blocks and words stand apart, and no offset is
// written as a number anywhere else.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as map from "../../src/kernels/assembly/memoryMap.ts";

const constants = Object.entries(map) as [string, number][];
const numberOf = (wanted: string): number => {
  const found = constants.find(([name]) => name === wanted);
  if (!found) throw new Error(`no ${wanted}`);
  return found[1];
};
/** Groups of words, and names in them that are none. */
const groups = ["TEAM", "MODEL", "SLOT", "JOB", "SAMPLER", "ROW", "STEP", "PARTITION"];
const noWord = /_BYTES$|^STEP_KIND_/;

describe("the memory map", () => {
  it("has blocks that do not overlap, before the arena", () => {
    const blocks = ["CONTROL", "TEAM", "MODEL", "SLOTS", "JOB", "SAMPLER", "STEP", "CONSTANTS"]
      .map((name) => [numberOf(name), numberOf(`${name}_BYTES`)] as const)
      .sort(([a], [b]) => a - b);
    const ends = blocks.map(([at, bytes]) => at + bytes);
    for (const [i, [at]] of blocks.slice(1).entries()) expect(at).toBeGreaterThanOrEqual(ends[i]!);
    expect(map.ARENA_START).toBeGreaterThanOrEqual(ends.at(-1)!);
  });

  it.each(groups)("gives every word of %s its own 4 bytes inside the block", (group) => {
    const words = constants.filter(([name]) => name.startsWith(`${group}_`) && !noWord.test(name)).map(([, at]) => at);
    expect(words.length).toBeGreaterThan(2);
    expect(new Set(words).size).toBe(words.length);
    for (const at of words) expect([at % 4, at >= 0 && at + 4 <= numberOf(`${group}_BYTES`)]).toEqual([0, true]);
  });

  it("is the only place with their numbers", () => {
    const literal = /\b(?:load|store)<\w+>\((?:map\.)?(?:MODEL|SLOTS|JOB|SAMPLER|STEP|p), \d|(?:words|job|values|floats)\[\d/;
    for (const folder of ["src/kernels/assembly", "src/kernels/wasm", "src/model/wasm"])
      for (const name of readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true, encoding: "utf8" }).filter((each) =>
        each.endsWith(".ts"),
      ))
        expect([name, literal.exec(readFileSync(new URL(`../../${folder}/${name}`, import.meta.url), "utf8"))?.[0]]).toEqual([
          name,
          undefined,
        ]);
  });
});
