// The switches of the test browsers. A browser reads the last list of switched-off features alone, so ours
// must repeat Playwright's, of whatever version is installed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { playwrightFlags } from "../../scripts/testing/browser.mjs";

it("the features that Playwright switches off stay off", () => {
  const require = createRequire(createRequire(import.meta.url).resolve("@playwright/test"));
  const source = readFileSync(join(dirname(require.resolve("playwright-core/package.json")), "lib", "coreBundle.js"), "utf8");
  const list = /disabledFeatures = \[([^\]]*)\]/.exec(source)?.[1]?.replaceAll(/\/\/.*$/gm, "") ?? "";
  const theirs = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "");
  expect(theirs).toContain("PaintHolding");
  const lists = playwrightFlags.filter((flag) => flag.startsWith("--disable-features="));
  expect(lists).toHaveLength(1);
  expect(lists[0]?.split(/[=,]/)).toEqual(expect.arrayContaining(theirs));
});
