// Saves of version 1 are read for good.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONFIG_VERSION } from "../../../src/protocol/config/migrations.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

describe("a save of version 1", () => {
  const stored = JSON.parse(readFileSync(join(import.meta.dirname, "version1.json"), "utf8"));
  const block = Uint8Array.from(Buffer.from(stored.bytes, "base64"));
  const { bytes: _, ...summary } = stored;
  const storeOf = (row: object) => {
    const store = memoryStore();
    store.saves.set("saved", { summary: { ...summary, bytes: block.length, ...row }, files: new Map([["version1", block]]) });
    return store;
  };

  it("is listed and goes on with its settings under their present names", async () => {
    const store = storeOf({});
    const session = await driveSession({ store });
    expect((await session.first("saves")).runs[0]?.config).toMatchObject({ version: CONFIG_VERSION, demonstrationsPerStep: 4 });
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "continue", runId: "saved" });
    await finished;
    expect(session.all("error")).toEqual([]);
    const before = session.all("history")[0]?.steps ?? [];
    const records = [...before, ...session.all("steps").flatMap((event) => event.records)];
    // As many tokens for each worked example: four of them a step, eight from the fifth on.
    const seen = records.map(({ metrics }) => metrics.num_tokens ?? Number.NaN);
    const share = (seen[0] ?? Number.NaN) / 4;
    expect(seen).toEqual([4, 8, 12, 16, 24, 32].map((examples) => examples * share));
    // From now on it is a save of the present version.
    expect([...store.saves.get("saved")!.files.keys()]).not.toContain("version1");
  });

  it("of a newer configuration is listed with the reason why it cannot be read", async () => {
    const session = await driveSession({ store: storeOf({ config: { ...stored.config, version: CONFIG_VERSION + 1 } }) });
    const rule = `version must be <= ${CONFIG_VERSION}, got ${CONFIG_VERSION + 1}`;
    const problem = `${rule}: a newer version of the lab wrote this configuration`;
    expect((await session.first("saves")).runs).toMatchObject([{ runId: "saved", config: null, problem }]);
  });

  it("is refused in words wherever it is cut short", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: block.length - 1 }), (length) => {
        expect(() => readSave("saved", new Map([["version1", block.slice(0, length)]]))).toThrow(/saved run/);
      }),
    );
  });
});
