import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import type { SavedRun } from "../../../src/train/host.ts";
import { packRun, type RunSnapshot, unpackRun } from "../../../src/train/run/savedRun.ts";
import { driveSession, memoryStore } from "../../support/driveSession.ts";

const state = (length: number) => ({
  policy: Float32Array.from({ length }, (_, i) => i / 3),
  reference: null,
  first: new Float32Array(length),
  second: new Float32Array(length).fill(0.1),
  optimizerSteps: 3,
});

const snapshot: RunSnapshot = {
  config: runConfigSchema.parse({ task: "digit-sum" }),
  trainer: { step: 7, random: [1, -2, 3, 4], loader: 9, controllers: { klCoef: 0.02 } },
  model: { ...state(5), policy: Float64Array.of(0.1, 1 / 3, Math.PI, -0, 1e-300), reference: Float64Array.of(1, 2, 3, 4, 5) },
  critic: state(3),
  steps: [{ step: 7, metrics: { reward: 0.5, grad_norm: Number.NaN } }],
  evaluations: [],
  baselines: [],
};

describe("a saved run", () => {
  it("comes back as it was, to the bit, missing numbers included", () => {
    expect(unpackRun(packRun(snapshot))).toEqual(snapshot);
  });

  it("is refused in words wherever it is cut short", () => {
    const bytes = packRun(snapshot);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), (length) => {
        expect(() => unpackRun(bytes.slice(0, length))).toThrow(/saved run/);
      }),
    );
  });

  it("is refused in words when its header is damaged", () => {
    const bytes = packRun(snapshot);
    const text = new TextDecoder().decode(bytes.subarray(8));
    const replaced = (from: string, to: string) => {
      const copy = bytes.slice();
      copy.set(new TextEncoder().encode(to), 8 + text.indexOf(from));
      return copy;
    };
    expect(() => unpackRun(replaced('{"format"', "{{{{{{{{{"))).toThrow("saved run has a header that is not JSON");
    expect(() => unpackRun(replaced('"step":7', '"step":x'))).toThrow("saved run has a header that is not JSON");
    expect(() => unpackRun(replaced('"loader":9', '"loader":"'))).toThrow(/saved run|loader/);
    expect(() => unpackRun(replaced("rollout-lab-run", "rollout-lab-fun"))).toThrow(
      'format must be "rollout-lab-run", got "rollout-lab-fun"',
    );
  });
});

describe("a run saved with a configuration of version 1", () => {
  const stored = JSON.parse(readFileSync(join(import.meta.dirname, "savedRun.version1.json"), "utf8"));
  const run: SavedRun = { ...stored, bytes: Uint8Array.from(Buffer.from(stored.bytes, "base64")) };

  it("is listed and goes on with its settings under their present names", async () => {
    const store = memoryStore();
    await store.save(run);
    const session = await driveSession({ store });
    expect(session.all("saves")[0]?.runs[0]?.config).toMatchObject({ version: 2, demonstrationsPerStep: 4 });
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "continue", runId: run.runId });
    await finished;
    expect(session.all("error")).toEqual([]);
    const before = session.all("history")[0]?.steps ?? [];
    const records = [...before, ...session.all("steps").flatMap((event) => event.records)];
    // As many tokens for each worked example: four of them a step, eight from the fifth on.
    const seen = records.map(({ metrics }) => metrics.num_tokens ?? Number.NaN);
    const share = (seen[0] ?? Number.NaN) / 4;
    expect(seen).toEqual([4, 8, 12, 16, 24, 32].map((examples) => examples * share));
  });

  it("of a newer version is listed with the reason why it cannot be read", async () => {
    const store = memoryStore();
    await store.save({ ...run, runId: "newer", config: { ...run.config, version: 3 as 2 } });
    await store.save(run);
    const session = await driveSession({ store });
    const problem = "version must be <= 2, got 3: a newer version of the lab wrote this configuration";
    expect(session.all("saves")[0]?.runs).toMatchObject([
      { runId: "saved", config: { version: 2 } },
      { runId: "newer", config: null, problem },
    ]);
  });
});
