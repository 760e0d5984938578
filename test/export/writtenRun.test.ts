// What is written into the files of a run about the program that wrote them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { VERSION } from "../../src/export/writtenRun.ts";

it("names the version that the package has", () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as { readonly version: string };
  expect(VERSION).toBe(version);
});
