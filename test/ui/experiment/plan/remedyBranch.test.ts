// A remedy as a branch: the same run but for that one setting, from its first step on, or a sentence why not.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { resolveInput } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { remedyBranch } from "../../../../src/ui/experiment/plan/drafted.ts";

const config = (input: RunConfigInput) => resolveInput(catalog, input).config!;
const sureTooSoon = config(catalog.presets.find(({ id }) => id === "wrong-entropy")!.config);

describe("a remedy beside the run", () => {
  it("is the run from the same seed with that one change from the start", () => {
    const branch = remedyBranch(catalog, sureTooSoon, ["entropyCoef", 0], 1);
    expect(branch).toMatchObject({ afterStep: 0, settings: { entropyCoef: 0 }, problems: [] });
    if (typeof branch === "string") throw new Error(branch);
    expect(branch.config).toEqual({ ...sureTooSoon, changes: [{ afterStep: 0, settings: { entropyCoef: 0 } }] });
  });

  it("can be any that a diagnosis names, and says why it cannot be", () => {
    for (const setting of [
      ["learningRate", 0.33],
      ["klCoef", 0.01],
    ] as const)
      expect(remedyBranch(catalog, sureTooSoon, setting, 1)).toMatchObject({ afterStep: 0 });
    const adam = config({ ...sureTooSoon, optimizer: "adamw" });
    expect(remedyBranch(catalog, adam, ["adamEps", 1e-5], 2)).toMatchObject({ afterStep: 0 });
    expect(remedyBranch(catalog, sureTooSoon, ["klCoef", 0.01], 4)).toMatch(/^There are 4 runs already/);
    expect(remedyBranch(catalog, { ...sureTooSoon, steps: 0 }, ["klCoef", 0.01], 1)).toMatch(/no last step/);
    expect(remedyBranch(catalog, { ...sureTooSoon, model: "transformer", startFrom: "run" }, ["klCoef", 0.01], 1)).toMatch(
      /weights of another/,
    );
    expect(remedyBranch(catalog, sureTooSoon, ["learningRate", -1], 1)).toMatch(/must be/);
  });
});
