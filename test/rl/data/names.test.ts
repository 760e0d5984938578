import { expect, it } from "vitest";
import { makeName, makeNames } from "../../../src/rl/data/names.ts";
import { Random } from "../../../src/rl/random.ts";
import { labTokenizer } from "../../model/renderers/tokenizerFixture.ts";
import { tries } from "../../support/long.ts";

it("names have the same few tokens wherever they stand", () => {
  const tokenizer = labTokenizer();
  const random = new Random(0);
  for (let i = 0; i < tries(250, 2000); i++) {
    const name = makeName(random);
    const alone = tokenizer.encodePlain(name);
    expect(alone).toHaveLength(3);
    for (const [before, after] of [
      [" ", " was"],
      ["near ", "."],
      ['"', " born"],
      ["<answer>", "</answer>"],
      ["\n", " is"],
    ]) {
      const tokens = tokenizer.encodePlain(`${before}${name}${after}`);
      const at = tokens.findIndex((_, t) => alone.every((token, k) => tokens[t + k] === token));
      expect(at, name).toBeGreaterThanOrEqual(0);
    }
  }
});

it("names of a world differ, and there are thousands", () => {
  const random = new Random(1);
  expect(new Set(makeNames(40, random)).size).toBe(40);
  expect(makeNames(3000, random)).toHaveLength(3000);
});
