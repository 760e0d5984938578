// A run as one file: what goes in comes out, by choice with less; and whatever is not such a file is refused with a sentence.

import { describe, expect, it } from "vitest";
import { errorText } from "../../../../src/protocol/problems.ts";
import { labelIn } from "../../../../src/protocol/run/runLabel.ts";
import { LABEL } from "../../../../src/train/host.ts";
import { readImported, saveInFile } from "../../../../src/train/save/importedSave.ts";
import { readSave } from "../../../../src/train/save/readSave.ts";
import { unpackFiles } from "../../../../src/train/save/rollout/packedFiles.ts";
import { packRollout, saveInRollout } from "../../../../src/train/save/rollout/rolloutFile.ts";
import { rolloutOf } from "../../../../src/train/save/rollout/rolloutOf.ts";
import type { SavedState } from "../../../../src/train/save/savedState.ts";
import { driveSession } from "../../../support/driveSession.ts";
import { dice } from "../../../support/killedRuns.ts";
import { tries } from "../../../support/long.ts";
import { memoryStore } from "../../../support/memoryStore.ts";
import { filesOf } from "../../../support/savedFiles.ts";

const TABLE = {
  task: "digit-sum",
  model: "tabular",
  promptsPerStep: 2,
  groupSize: 8,
  evalProblems: 8,
  evalSamples: 2,
  evalEvery: 10,
} as const;
const STEPS = 24;

async function trained() {
  const store = memoryStore();
  const session = await driveSession({ store });
  await session.send({ type: "start", runId: "run", config: { ...TABLE, steps: STEPS, keptMegabytes: 50 }, paused: true });
  for (let step = 1; step <= STEPS; step++) await session.send({ type: "advance", unit: "step" });
  await session.send({ type: "save" });
  return { session, saved: readSave("run", unpackFiles((await session.send({ type: "export-save" })).bytes)) };
}
const run = trained();
const read = async (file: Uint8Array): Promise<SavedState> => {
  const { runId, files } = await saveInFile(file);
  return readSave(runId, files);
};

describe("a recording", () => {
  it("with its weights is the save, to the bit, and says what it holds before it is unfolded", async () => {
    const { saved } = await run;
    const file = await rolloutOf("run", saved, { checkpoint: true });
    expect(await read(file)).toEqual(saved);
    const header = (await saveInRollout(file)).header;
    expect(header).toMatchObject({ runId: "run", task: "digit-sum", step: STEPS, checkpoints: [STEPS] });
    expect(header.kept).toEqual(saved.kept.map(({ step }) => step));
    // Two files of one recording are one file.
    expect(await rolloutOf("run", saved, { checkpoint: true })).toEqual(file);
  });

  it("without its weights has every record, and goes on from the start to the same end", async () => {
    const { saved, session: live } = await run;
    const file = await rolloutOf("run", saved, { checkpoint: false });
    expect(await read(file)).toEqual({ ...saved, checkpoint: null, settings: expect.anything() });
    const session = await driveSession({ store: memoryStore() });
    const { runId } = await session.send({ type: "add-save", files: [{ name: "a.rollout", bytes: file }] });
    await session.send({ type: "continue", runId, paused: true });
    const step = async (of: typeof session) => {
      await of.send({ type: "set", settings: { steps: STEPS + 1 } });
      await of.send({ type: "advance", unit: "step" });
      const { step_time: _, ...metrics } = of.all("steps").at(-1)!.records.at(-1)!.metrics;
      return metrics;
    };
    const [again, whole] = [await step(session), await step(live)];
    for (const name of ["reward", "kl", "grad_norm", "entropy"]) expect(again[name]).toBe(whole[name]);
  });

  it("that must be small keeps the first, the best and the last conversations, and says where even its records are too large", async () => {
    const { saved } = await run;
    const all = await rolloutOf("run", saved, { checkpoint: false });
    const bare = await rolloutOf("run", { ...saved, kept: [] }, { checkpoint: false });
    for (const share of [0.2, 0.5, 0.8]) {
      const mostBytes = Math.round(bare.length + share * (all.length - bare.length));
      const file = await rolloutOf("run", saved, { checkpoint: false, mostBytes });
      expect(file.length).toBeLessThanOrEqual(mostBytes);
      expect(file.length).toBeGreaterThan(bare.length);
      const { kept } = (await saveInRollout(file)).header;
      expect(kept.length).toBeLessThan(saved.kept.length);
      expect(kept).toEqual(expect.arrayContaining([1, STEPS]));
    }
    // What somebody looks at goes along whatever else stays.
    const mostBytes = bare.length + 4_000;
    const shown = saved.kept[5]!.step;
    const lookedAt = await saveInRollout(await rolloutOf("run", saved, { checkpoint: false, mostBytes, shown }));
    expect(lookedAt.header.kept).toContain(shown);
    expect((await saveInRollout(await rolloutOf("run", saved, { checkpoint: false, mostBytes }))).header.kept).not.toContain(shown);
    await expect(rolloutOf("run", saved, { checkpoint: false, mostBytes: 500 })).rejects.toThrow(
      `the run takes ${bare.length} bytes without its conversations, more than the 500 it may have here`,
    );
  });

  it("is asked of the run that stands here, also while it is a recording, and of a saved one", async () => {
    const { session } = await run;
    const own = await session.send({ type: "export-rollout" });
    expect(own.name).toBe("run.rollout");
    const other = await driveSession({ store: memoryStore() });
    await other.send({ type: "open", files: [own], paused: true });
    expect((await other.send({ type: "export-rollout" })).bytes).toEqual(own.bytes);
    await session.send({ type: "label", runId: "run", label: { name: "Mine" } });
    const labelled = await saveInRollout((await session.send({ type: "export-rollout" })).bytes);
    expect(labelIn(labelled.files.get(LABEL))).toEqual({ name: "Mine" });
    const small = await session.send({ type: "export-rollout", runId: "run", mostBytes: own.bytes.length - 1_000 });
    expect(small.bytes.length).toBeLessThan(own.bytes.length);
    // A step that its save does not keep, and that can still be looked at, goes along where it is on screen.
    const lean = await driveSession({ store: memoryStore() });
    await lean.send({ type: "start", runId: "lean", config: { ...TABLE, steps: 9, keptMegabytes: 0 }, paused: true });
    for (let step = 1; step <= 9; step++) await lean.send({ type: "advance", unit: "step" });
    const shown = await lean.send({ type: "export-rollout", shown: 7 });
    await other.send({ type: "open", files: [shown], paused: true });
    expect((await other.send({ type: "inspect", step: 7 })).groups).toEqual((await lean.send({ type: "inspect", step: 7 })).groups);
    const none = await driveSession({ store: null });
    await expect(none.send({ type: "export-rollout" })).rejects.toThrow("there is no run: start one, or name a saved one by its runId");
    await none.send({ type: "start", runId: "unkept", config: { ...TABLE, steps: 2 }, paused: true });
    expect((await none.send({ type: "export-rollout" })).name).toBe("unkept.rollout");
  });
});

/** A file whose hash is right and whose contents are somebody else's. */
const crafted = (parts: Record<string, Uint8Array>, header: object = {}) =>
  packRollout(
    { runId: "run", task: "digit-sum", algorithm: "grpo", step: 1, kept: [], checkpoints: [], ...header },
    new Map(Object.entries(parts)),
  );

/** Reads a file all the way, conversations too; the sentence with which it was refused, null where it was not. */
async function refusal(file: Uint8Array): Promise<string | null> {
  const session = await driveSession({ store: null });
  try {
    await session.send({ type: "open", files: [{ name: "a.rollout", bytes: file }], paused: true });
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/** No sentence of the language's own, and no fault of the lab's. */
const isSentence = (text: string) =>
  text.length > 20 && text.length < 600 && !/internal:|undefined|\[object|is not a function|Cannot read/.test(text);

describe("a file from elsewhere", () => {
  it(`damaged in one of ${tries(60, 1_000)} ways is refused with a sentence`, async () => {
    const file = await rolloutOf("run", (await run).saved, { checkpoint: true });
    const roll = dice(11);
    for (let trial = 0; trial < tries(60, 1_000); trial++) {
      const bytes = trial % 3 === 0 ? file.slice(0, roll(file.length)) : file.slice();
      if (trial % 3 === 1) bytes[roll(bytes.length)]! ^= 1 << roll(8);
      if (trial % 3 === 2) bytes.copyWithin(roll(bytes.length), roll(bytes.length), roll(bytes.length));
      if (bytes.length === file.length && bytes.every((byte, i) => byte === file[i])) continue;
      const said = await refusal(bytes);
      expect(said, `trial ${trial}`).not.toBeNull();
      expect(isSentence(said!), `trial ${trial}: ${said}`).toBe(true);
    }
  }, 120_000);

  it("made by somebody with a right hash is read as strictly as any save", async () => {
    const { saved } = await run;
    const parts = Object.fromEntries(filesOf("run", { ...saved, checkpoint: null, kept: [] }));
    const log = Object.keys(parts).find((name) => name.startsWith("log/"))!;
    const hostile: [string, Promise<Uint8Array>, RegExp][] = [
      ["without a manifest", crafted({}), /the save has no file run/],
      [
        "with a part that no save has",
        crafted({ ...parts, "../../etc/passwd": new Uint8Array(4) }),
        /a part "\.\.\/\.\.\/etc\/passwd", which no save has/,
      ],
      ["with a prototype for a name", crafted({ ...parts, __proto__x: new Uint8Array(4) }), /which no save has/],
      ["of another run", crafted(parts, { runId: "other" }), /run belongs to another run, run/],
      ["with its log twice", crafted({ ...parts, [`${log}9`]: parts[log]! }), /the log must go on with write \d+, but log\/\d+ covers/],
      [
        "that unfolds to far more than it holds",
        crafted({ ...parts, "groups/1": new Uint8Array(40_000_000) }),
        /says that it unfolds to \d+ bytes, more than/,
      ],
      ["with a header of another kind", crafted(parts, { kept: ["one"] }), /kept\.0 must be/],
      [
        "whose log is noise",
        crafted({ ...parts, [log]: new Uint8Array(300).fill(7) }),
        /is damaged: it does not begin as a file of a saved run does/,
      ],
    ];
    for (const [what, file, sentence] of hostile) expect(await refusal(await file), what).toMatch(sentence);
    // A bit of any part under a hash that was made anew.
    const roll = dice(5);
    for (let trial = 0; trial < tries(20, 100); trial++) {
      const name = Object.keys(parts)[roll(Object.keys(parts).length)]!;
      const bytes = parts[name]!.slice();
      bytes[roll(bytes.length)]! ^= 1 << roll(8);
      const said = await refusal(await crafted({ ...parts, [name]: bytes }));
      expect(said, `${name}, trial ${trial}`).not.toBeNull();
      expect(isSentence(said!), said!).toBe(true);
    }
  }, 120_000);

  it("of a newer version, and anything else, is named as what it is", async () => {
    const file = await rolloutOf("run", (await run).saved, { checkpoint: false });
    const text = new TextDecoder("latin1").decode(file);
    const newer = Uint8Array.from(text.replace("rollout-file 1 ", "rollout-file 2 "), (letter) => letter.charCodeAt(0));
    expect(await refusal(newer)).toBe("the recording must have version 1, got 2: a newer version of the lab wrote it");
    await expect(readImported([{ name: "a", bytes: new TextEncoder().encode("rollout-file one") }])).rejects.toThrow(
      "it is no recording of this lab: it does not begin as one does",
    );
  });
});
