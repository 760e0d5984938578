// The public names and what is said of them: docs/library.md is the list that a change has to be made in on purpose.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { libraryReference, REFERENCE } from "../../scripts/libraryReference.mjs";
import * as library from "../../src/library/index.ts";

const text = readFileSync(join(import.meta.dirname, "..", "..", REFERENCE), "utf8");

it("docs/library.md lists the public names as they are: npm run library:reference writes it", () => {
  expect(text).toBe(libraryReference());
});

it("every public value is there and is explained", () => {
  const values = Array.from(text.slice(0, text.indexOf("| type |")).matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, name, sentence]) => ({
    name,
    sentence,
  }));
  expect(values.map(({ name }) => name).sort()).toEqual(Object.keys(library).sort());
  for (const { name, sentence } of values) expect(sentence, name).toMatch(/\w/);
});
