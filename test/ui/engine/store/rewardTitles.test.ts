import { describe, expect, it } from "vitest";
import { catalog } from "../../../../src/train/catalog.ts";
import { rewardTitle } from "../../../../src/ui/engine/store/inTitles.ts";

describe("a reward part on the page", () => {
  it("goes by its task's title, the library's, or its name in words", () => {
    expect(rewardTitle(catalog, "sumCloseness")).toBe("Closeness of the sum");
    expect(rewardTitle(catalog, "somethingElse")).toBe("Something else");
    expect(rewardTitle(catalog, "trueAnswer")).toBe("Truly right");
    for (const { rewards } of catalog.tasks) for (const { name } of rewards) expect(rewardTitle(catalog, name)).not.toBe(name);
  });
});
