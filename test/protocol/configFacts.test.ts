// Each field says what holds for it where it is declared; every list and schema elsewhere follows.
import { describe, expect, expectTypeOf, it } from "vitest";
import { commandSchema } from "../../src/protocol/commandSchema.ts";
import { type LiveSettings, liveKeys } from "../../src/protocol/configFacts.ts";
import { catalog } from "../../src/train/catalog.ts";

describe("settings that are live", () => {
  const set = (settings: object) => commandSchema.safeParse({ type: "set", settings });

  it("are the fields that the catalog marks so", () => {
    const marked = catalog.fields.filter(({ live }) => live).map(({ key }) => key);
    expect([...liveKeys].sort()).toEqual([...marked].sort());
    expect(marked).toContain("learningRate");
  });

  it("pass the schema one by one within their range, and no other field does", () => {
    for (const { key, preset, live } of catalog.fields) expect([key, set({ [key]: preset }).success]).toEqual([key, live]);
    for (const key of liveKeys) expect([key, set({ [key]: Number.NaN }).success]).toEqual([key, false]);
  });

  it("are not filled in where they are left out", () => {
    expect(set({ steps: 7 }).data).toEqual({ type: "set", settings: { steps: 7 } });
    expect(set({ steps: undefined }).success).toBe(false);
  });

  it("have a type of their own, in which other fields do not exist", () => {
    expectTypeOf<LiveSettings>().toHaveProperty("learningRate").toEqualTypeOf<number | undefined>();
    expectTypeOf<LiveSettings>().not.toHaveProperty("seed");
  });
});
