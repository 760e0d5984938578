// Whatever is written is read again; whatever was damaged since is refused with a sentence, and no run
// goes on from it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { MOST_STEPS } from "../../../src/protocol/run/thinned.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave, type SaveFiles } from "../../../src/train/save/readSave.ts";
import { unpackFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import { SaveBuilder } from "../../../src/train/save/saveBuilder.ts";
import type { RunLog, SavedState } from "../../../src/train/save/savedState.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { filesOf, saveOf } from "../../support/savedFiles.ts";
import { setOf } from "../../support/tensorSets.ts";

const config = runConfigSchema.parse({ task: "digit-sum" });
const NOTHING = { checkpoint: null, kept: { put: new Map(), removed: [] } };
const any = fc.double();
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** A share that was measured, or was not. */
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(Number.NaN));
const interval = fc.tuple(share, share).map(([a, b]): [number, number] => (a > b ? [b, a] : [a, b]));
const count = fc.nat(1000);
const ascending = fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { maxLength: 12 }).map((steps) => steps.sort((a, b) => a - b));

const cell = fc.array(fc.tuple(count, any), { minLength: 1, maxLength: 3 });
const probeAnswer = fc
  .record({ cells_T: fc.array(cell, { maxLength: 3 }), isComplete: fc.boolean(), reward: fc.option(any) })
  .map(({ cells_T, ...rest }) => ({
    tokens_T: cells_T.map((cells) => cells.map(([token]) => token)),
    logprobs_T: cells_T.map((cells) => cells.map(([, logprob]) => logprob)),
    ...rest,
  }));

const history: fc.Arbitrary<RunLog> = fc.record({
  probes: ascending.chain((steps) =>
    fc.tuple(...steps.map((step) => fc.record({ step: fc.constant(step), answers: fc.array(probeAnswer, { maxLength: 2 }) }))),
  ),
  steps: ascending.chain((steps) =>
    fc
      .array(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((key) => key !== "__proto__" && !/^\d+$/.test(key)),
          any,
          { noNullPrototype: true },
        ),
        {
          minLength: steps.length,
          maxLength: steps.length,
        },
      )
      .map((metrics) => steps.map((step, i) => ({ step, metrics: metrics[i]! }))),
  ),
  evaluations: ascending.chain((steps) =>
    fc.tuple(
      ...steps.map((step) =>
        fc.record({
          ...{ step: fc.constant(step), problems: count, samplesPerProblem: count, greedyAccuracy: share, greedyInterval: interval },
          ...{ sampledAccuracy: share, sampledInterval: interval, formRate: share, meanReward: any },
          passAtK: fc.dictionary(fc.nat(64).map(String), share, { noNullPrototype: true }),
          metrics: fc.dictionary(fc.constantFrom("turns", "calls"), any, { noNullPrototype: true }),
          outcomes: fc.array(fc.nat(1)).map((right_P) => ({ problemsHash: 2 ** 32 - 1, right_P, greedyRight_P: right_P })),
        }),
      ),
    ),
  ),
  baselines: fc
    .subarray(["random", "start"] as const)
    .chain((kinds) =>
      fc.tuple(...kinds.map((kind) => fc.record({ kind: fc.constant(kind), meanReward: any, accuracy: share, interval, samples: count }))),
    ),
});

const values = (length: number) => fc.array(finite, { minLength: length, maxLength: length });
const model = fc
  .record({ length: fc.integer({ min: 1, max: 9 }), hasReference: fc.boolean(), isTable: fc.boolean() })
  .chain(({ length, hasReference, isTable }) => {
    const array = values(length).map((list) =>
      setOf(isTable ? Float64Array.from(list) : Float32Array.from(list, (each) => Math.fround(each % 1e30))),
    );
    const reference = hasReference ? array : fc.constant(null);
    return fc.record({ policy: array, reference, first: array, second: array, optimizerSteps: fc.nat() });
  });
const word = fc.integer();
const state: fc.Arbitrary<SavedState> = fc
  .record({
    history,
    model,
    critic: fc.option(model),
    random: fc.tuple(word, word, word, word),
    loader: fc.nat(),
    controllers: fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
      any,
      { noNullPrototype: true },
    ),
    hasCheckpoint: fc.boolean(),
    changes: fc.array(fc.record({ afterStep: fc.nat(2 ** 31 - 1), learningRate: fc.double({ min: 0, max: 10, noNaN: true }) }), {
      maxLength: 5,
    }),
    temperature: fc.double({ min: 0.05, max: 5, noNaN: true }),
  })
  .map(({ history, model, critic, random, loader, controllers, hasCheckpoint, changes, temperature }) => ({
    config: { ...config, changes: changes.map(({ afterStep, learningRate }) => ({ afterStep, settings: { learningRate } })) },
    settings: { ...liveSettingsOf(config), temperature },
    checkpoint: hasCheckpoint
      ? { trainer: { step: history.steps[0]?.step ?? 0, random, loader, controllers }, tokenizer: "11-00000000", model, critic }
      : null,
    kept: [],
    ...history,
  }));

const example = (length = 5) =>
  ({
    ...{ config, settings: liveSettingsOf(config) },
    checkpoint: {
      trainer: { step: 7, random: [1, -2, 3, 4], loader: 9, controllers: { klCoef: 0.02 } },
      tokenizer: "11-00000000",
      model: {
        ...{ policy: setOf(Float64Array.of(0.1, 1 / 3, Math.PI, -0, 1e-300).slice(0, length)), reference: null, optimizerSteps: 3 },
        ...{ first: setOf(new Float64Array(length).fill(0.5)), second: setOf(new Float64Array(length).fill(0.1)) },
      },
      critic: null,
    },
    steps: Array.from({ length: 9 }, (_, i) => ({ step: i + 1, metrics: { reward: i / 7, grad_norm: Number.NaN } })),
    ...{ evaluations: [], baselines: [], probes: [], kept: [] },
  }) satisfies SavedState;

describe("a save", () => {
  it("is read as it was written, to the bit", () => {
    fc.assert(
      fc.property(state, (written) => {
        expect(readSave("run", filesOf("run", written))).toEqual(written);
      }),
      { numRuns: 200 },
    );
  });

  it("is the same after any number of small writes as after one", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 }), (lengths) => {
        const steps: { step: number; metrics: Record<string, number> }[] = [];
        const history = { steps, evaluations: [], baselines: [], probes: [] };
        const builder = new SaveBuilder("run", history, config);
        const files = new Map(builder.whole({ config, checkpoint: null, kept: new Map() }).put);
        for (const length of lengths) {
          const more = Array.from({ length }, (_, i) => ({ step: steps.length + i + 1, metrics: { reward: i / 3, loss: Number.NaN } }));
          steps.push(...more);
          const { put, removed } = builder.next({ config, log: { ...history, steps: more }, ...NOTHING });
          for (const name of removed) files.delete(name);
          for (const [name, bytes] of put) files.set(name, bytes);
        }
        const read = readSave("run", files);
        expect(read.steps).toEqual(steps);
        expect([...files.values()].reduce((sum, bytes) => sum + bytes.length, 0)).toBe(builder.bytes);
        // An hour of writes must not be an hour of files.
        expect(files.size).toBeLessThan(2 + 64 + steps.length / 1000);
      }),
      { numRuns: 30 },
    );
  });

  it("of 300,000 steps is read, thinned as a run keeps them", () => {
    const steps = Array.from({ length: 300_000 }, (_, i) => ({ step: i + 1, metrics: { reward: i } }));
    const read = readSave("run", filesOf("run", { ...example(), steps }));
    expect(read.steps.length).toBeLessThanOrEqual(MOST_STEPS);
    expect(read.steps.at(-1)).toEqual({ step: 300_000, metrics: { reward: 299_999 } });
  });

  it("of an endless run with a change after step 2,000,000 and 5,000 appended steps is read", () => {
    const changes = Array.from({ length: 5_000 }, (_, i) => ({ afterStep: 2_000_000 + i, settings: { steps: 0 } }));
    const written = { ...example(), config: { ...config, changes } };
    expect(readSave("run", filesOf("run", written)).config.changes).toEqual(changes);
  });
});

/** One of the ways in which storage and people damage files. */
interface Damage {
  readonly kind: "cut" | "flip" | "swap" | "drop" | "foreign" | "insert";
  readonly file: number;
  readonly other: number;
  readonly at: number;
  readonly bit: number;
}
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("cut", "flip", "swap", "drop", "foreign", "insert"),
  file: fc.nat(),
  other: fc.nat(),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  bit: fc.nat(7),
});

function damaged(files: SaveFiles, { kind, file, other, at, bit }: Damage): SaveFiles {
  const names = [...files.keys()];
  const [name, second] = [names[file % names.length]!, names[other % names.length]!];
  const bytes = files.get(name)!;
  const place = Math.floor(at * bytes.length);
  const copy = new Map(files);
  if (kind === "cut") copy.set(name, bytes.slice(0, place));
  if (kind === "drop") copy.delete(name);
  if (kind === "swap") copy.set(name, files.get(second)!).set(second, bytes);
  if (kind === "insert") copy.set(name, new Uint8Array([...bytes.slice(0, place), 255, ...bytes.slice(place)]));
  if (kind === "foreign")
    copy.set(name, filesOf("another", { ...example(), settings: { ...example().settings, temperature: 2 } }).get(name) ?? bytes);
  if (kind === "flip") {
    const flipped = bytes.slice();
    flipped[place]! ^= 1 << bit;
    copy.set(name, flipped);
  }
  return copy;
}

describe("a damaged save", () => {
  it("is refused with a sentence or is the whole state, never another one: 500 ways", () => {
    const builder = new SaveBuilder("run", example(), config);
    const { checkpoint, settings } = example();
    const files = new Map(builder.whole({ config, checkpoint: { ...checkpoint!, settings }, kept: new Map() }).put);
    for (let step = 10; step < 14; step++) {
      const log = { steps: [{ step, metrics: { reward: step } }], evaluations: [], baselines: [], probes: [] };
      for (const [name, bytes] of builder.next({ config, log, ...NOTHING }).put) files.set(name, bytes);
    }
    const whole = readSave("run", files);
    let refused = 0;
    fc.assert(
      fc.property(damage, (how) => {
        const hurt = damaged(files, how);
        let read: SavedState;
        try {
          read = readSave("run", hurt);
        } catch (error) {
          refused += 1;
          expect((error as Error).message).toMatch(/^(run|log\/|checkpoint\/|the (save|log|checkpoint|steps)|model\.).{10,300}$/);
          return;
        }
        expect(read).toEqual(whole);
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  it("is listed with its reason once it was opened, can be read out and deleted, and stands in nobody's way", async () => {
    const store = memoryStore();
    const good = saveOf("good", example());
    const files = new Map(saveOf("bad", example()).files);
    const weights = files.get("checkpoint/7/model.policy")!.slice();
    weights[3]! ^= 1;
    files.set("checkpoint/7/model.policy", weights);
    store.saves.set("bad", { summary: { ...good.summary, runId: "bad", savedAt: 2 }, files });
    store.saves.set("odd", { summary: { nonsense: true } as never, files: new Map() });
    store.saves.set("good", good);
    const session = await driveSession({ store });
    const listed = (await session.first("saves")).runs;
    expect(listed.map(({ runId, config }) => [runId, config !== null])).toEqual([
      ["bad", true],
      ["good", true],
      ["odd", false],
    ]);
    const again = session.next("saves");
    await expect(session.send({ type: "continue", runId: "bad" })).rejects.toThrow(
      "the saved run bad cannot be read: checkpoint/7/model.policy is damaged: its hash is not that of its contents",
    );
    expect((await again).runs[0]).toMatchObject({ runId: "bad", config: null, problem: expect.stringContaining("is damaged") });
    const { name, bytes } = await session.send({ type: "read-save", runId: "bad" });
    expect(name).toBe("bad.rollout");
    expect([...unpackFiles(bytes)]).toEqual([...files]);
    await session.send({ type: "delete-save", runId: "bad" });
    expect([...store.saves.keys()]).toEqual(["odd", "good"]);
  });
});
