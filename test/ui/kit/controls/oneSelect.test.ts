import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = "src/ui";
const sources = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx$/.test(name))
  .map((name) => ({ name, text: readFileSync(`${ROOT}/${name}`, "utf8") }));

describe("choosing one of several", () => {
  it("has one control on every screen", () => {
    expect(sources.length).toBeGreaterThan(80);
    expect(sources.filter(({ text }) => /<select\b|<Select\b/.test(text)).map(({ name }) => name)).toEqual(["kit/controls/Choice.tsx"]);
  });
});
