// The cheapest runs of the table of causes: a failing one has its cause named first, a sound one none after any step.
import { describe, expect, it } from "vitest";
import { firstOf, namedOf, readCases } from "../../src/cli/causes/cases.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const FAILING = [
  "narrow-top-k",
  "sign-of-the-sum",
  "kl-of-10-in-reward",
  "sum-out-of-reach",
  "guesses-of-one-turn",
  "supervised-too-fast",
  "pairs-of-rare-digits",
];
const SOUND = ["digit-sum-table-seed-3", "digit-sum-transformer-seed-1", "whole-top-k", "supervised-few-steps", "gspo"];

const failing = await readCases("configs/causes/failing.yaml");
const sound = await readCases("configs/causes/sound.yaml");

describe("the table of causes", () => {
  it("has forty failing runs and sixty sound ones, each under a name of its own", () => {
    expect([failing.length, sound.length]).toEqual([40, 60]);
    expect(failing.every(({ cause }) => cause !== null) && sound.every(({ cause }) => cause === null)).toBe(true);
  });

  it.each([...FAILING, ...SOUND])("is right about %s", async (id) => {
    const found = [...failing, ...sound].find((each) => each.id === id)!;
    const first = firstOf(await namedOf(found, createNodeHost));
    expect(first?.found.diagnosis.id ?? null, first?.found.evidence).toBe(found.cause);
    expect(first?.found.evidence ?? "").not.toMatch(/NaN|undefined|Infinity/);
    const remedy = first?.found.remedy?.settings ?? {};
    expect(() => planRun({ config: { ...found.input, ...remedy } as RunConfigInput }, found.loaded?.additions)).not.toThrow();
  });
});
