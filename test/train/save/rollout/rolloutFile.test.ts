// A run as one file: what goes in comes out, by choice with less; and whatever is not such a file is refused with a sentence.

import { describe, expect, it } from "vitest";
import { errorText } from "../../../../src/protocol/problems.ts";
import { labelIn } from "../../../../src/protocol/run/runLabel.ts";
import { zipOf } from "../../../../src/protocol/run/zip.ts";
import { LABEL } from "../../../../src/train/host.ts";
import { readImported, saveInFile } from "../../../../src/train/save/importedSave.ts";
import { decodeManifest, encodeManifest, MANIFEST } from "../../../../src/train/save/manifest.ts";
import { factsOf } from "../../../../src/train/save/parts.ts";
import { readSave, type SaveFiles } from "../../../../src/train/save/readSave.ts";
import { fittedRollout } from "../../../../src/train/save/rollout/fittedRollout.ts";
import { packFiles, unpackFiles } from "../../../../src/train/save/rollout/packedFiles.ts";
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
const read = (file: Uint8Array): SavedState => {
  const { runId, files } = saveInFile(file);
  return readSave(runId, files);
};

const fileOf = ({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }) => ({ name, bytes });
const keptIn = (file: Uint8Array) => read(file).kept.map(({ step }) => step);

describe("a recording", () => {
  it("with its weights is the save, to the bit", async () => {
    const { saved } = await run;
    const file = rolloutOf("run", saved, { checkpoint: true });
    expect(read(file)).toEqual(saved);
    // Two files of one recording are one file.
    expect(rolloutOf("run", saved, { checkpoint: true })).toEqual(file);
  });

  it("without its weights has every record, and goes on from the start to the same end", async () => {
    const { saved, session: live } = await run;
    const file = rolloutOf("run", saved, { checkpoint: false });
    expect(read(file)).toEqual({ ...saved, checkpoint: null, settings: expect.anything() });
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
    const all = rolloutOf("run", saved, { checkpoint: false });
    const bare = rolloutOf("run", { ...saved, kept: [] }, { checkpoint: false });
    for (const share of [0.2, 0.5, 0.8]) {
      const mostBytes = Math.round(bare.length + share * (all.length - bare.length));
      const { bytes: file } = await fittedRollout("run", saved, { checkpoint: false, mostBytes });
      expect(file.length).toBeLessThanOrEqual(mostBytes);
      expect(file.length).toBeGreaterThan(bare.length);
      const kept = keptIn(file);
      expect(kept.length).toBeLessThan(saved.kept.length);
      expect(kept).toEqual(expect.arrayContaining([1, STEPS]));
    }
    // What somebody looks at goes along whatever else stays.
    const mostBytes = bare.length + 4_000;
    const shown = { step: saved.kept[5]!.step, promptIndex: 0, trajectoryIndex: 0 };
    const within = async (choice: object) => keptIn((await fittedRollout("run", saved, { checkpoint: false, mostBytes, ...choice })).bytes);
    expect(await within({ shown })).toContain(shown.step);
    expect(await within({})).not.toContain(shown.step);
    await expect(fittedRollout("run", saved, { checkpoint: false, mostBytes: 500 })).rejects.toThrow(
      /^the run takes \d+ bytes at least, more than the 500 it may have here$/,
    );
  });

  it("is asked of the run that stands here, also while it is a recording, and of a saved one", async () => {
    const { session } = await run;
    const own = await session.send({ type: "export-rollout" });
    expect(own.name).toBe("run.rollout");
    const other = await driveSession({ store: memoryStore() });
    await other.send({ type: "open", files: [fileOf(own)], paused: true });
    expect((await other.send({ type: "export-rollout" })).bytes).toEqual(own.bytes);
    await session.send({ type: "label", runId: "run", label: { name: "Mine" } });
    const labelled = saveInFile((await session.send({ type: "export-rollout" })).bytes);
    expect(labelIn(labelled.files.get(LABEL))).toEqual({ name: "Mine" });
    const small = await session.send({ type: "export-rollout", runId: "run", mostBytes: own.bytes.length - 1_000 });
    expect(small.bytes.length).toBeLessThan(own.bytes.length);
    // A step that its save does not keep, and that can still be looked at, goes along where it is on screen.
    const lean = await driveSession({ store: memoryStore() });
    await lean.send({ type: "start", runId: "lean", config: { ...TABLE, steps: 9, keptMegabytes: 0 }, paused: true });
    for (let step = 1; step <= 9; step++) await lean.send({ type: "advance", unit: "step" });
    const shown = await lean.send({ type: "export-rollout", shown: { step: 7, promptIndex: 0, trajectoryIndex: 0 } });
    await other.send({ type: "open", files: [fileOf(shown)], paused: true });
    expect((await other.send({ type: "inspect", step: 7 })).groups).toEqual((await lean.send({ type: "inspect", step: 7 })).groups);
    // So do the likeliest tokens around one that is on screen, which only the model knows.
    const asked = { type: "alternatives", step: 9, promptIndex: 1, trajectoryIndex: 2, index: 1 } as const;
    const likeliest = await lean.send(asked);
    const { type: _, index: tokenIndex, ...at } = asked;
    await other.send({
      type: "open",
      files: [fileOf(await lean.send({ type: "export-rollout", shown: { ...at, tokenIndex } }))],
      paused: true,
    });
    expect(await other.send(asked)).toEqual(likeliest);
    await expect(other.send({ ...asked, trajectoryIndex: 3 })).rejects.toThrow("this is a recording: go on with the run");
    const placed = fileOf(await session.send({ type: "export-rollout", place: "screen=explain&at=step%3D7" }));
    expect(await other.send({ type: "open", files: [placed], paused: true })).toEqual({
      runId: "run",
      place: "screen=explain&at=step%3D7",
    });
    expect((await other.send({ type: "add-save", files: [placed] })).place).toBe("screen=explain&at=step%3D7");
    const none = await driveSession({ store: null });
    await expect(none.send({ type: "export-rollout" })).rejects.toThrow("there is no run: start one, or name a saved one by its runId");
    await none.send({ type: "start", runId: "unkept", config: { ...TABLE, steps: 2 }, paused: true });
    expect((await none.send({ type: "export-rollout" })).name).toBe("unkept.rollout");
  });
});

/** A file whose hashes are right and whose contents are somebody else's. @param said what its manifest says otherwise */
function crafted(parts: Readonly<Record<string, Uint8Array>>, said: object = {}): Uint8Array {
  const { [MANIFEST]: manifest, ...others } = parts;
  const facts = Object.fromEntries(Object.entries(others).map(([name, bytes]) => [name, factsOf(bytes)]));
  const named = manifest ? { [MANIFEST]: encodeManifest({ ...decodeManifest(manifest), parts: facts, ...said }) } : {};
  return zipOf(Object.entries({ ...others, ...named }));
}

/** An archive whose second part has the name of its first. */
const twice = (archive: Uint8Array) =>
  Uint8Array.from(Buffer.from(archive).toString("latin1").replaceAll("log/2", "log/1"), (letter) => letter.charCodeAt(0));

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
  it(`damaged in one of ${tries(60, 1_000)} ways is refused with a sentence, or is the whole recording but for lost conversations that it names`, async () => {
    const file = rolloutOf("run", (await run).saved, { checkpoint: true });
    const roll = dice(11);
    for (let trial = 0; trial < tries(60, 1_000); trial++) {
      const bytes = trial % 3 === 0 ? file.slice(0, roll(file.length)) : file.slice();
      if (trial % 3 === 1) bytes[roll(bytes.length)]! ^= 1 << roll(8);
      if (trial % 3 === 2) bytes.copyWithin(roll(bytes.length), roll(bytes.length), roll(bytes.length));
      if (bytes.length === file.length && bytes.every((byte, i) => byte === file[i])) continue;
      const said = await refusal(bytes);
      if (said !== null) expect(isSentence(said), `trial ${trial}: ${said}`).toBe(true);
      else {
        // Bits that say nothing of a recording, such as the day of a part, may be others, and of damaged conversations is told.
        const { lost = [] } = read(bytes);
        const sound = (files: SaveFiles) => new Map([...files].filter(([name]) => !lost.includes(name)));
        expect(sound(unpackFiles(bytes)), `trial ${trial}`).toEqual(sound(unpackFiles(file)));
      }
    }
  }, 120_000);

  it("made by somebody with a right hash is read as strictly as any save", async () => {
    const { saved } = await run;
    const parts = Object.fromEntries(filesOf("run", { ...saved, checkpoint: null, kept: [] }));
    const log = Object.keys(parts).find((name) => name.startsWith("log/"))!;
    const hostile: [string, Uint8Array, RegExp][] = [
      ["without a manifest", crafted({ [log]: parts[log]! }), /the save has no file run/],
      [
        "with a part that no save has",
        crafted({ ...parts, "../../etc/passwd": new Uint8Array(4) }),
        /a part "\.\.\/\.\.\/etc\/passwd", which no save has/,
      ],
      ["with a prototype for a name", crafted({ ...parts, __proto__x: new Uint8Array(4) }), /which no save has/],
      [
        "with a part twice",
        twice(
          zipOf([
            ["log/1", new Uint8Array(9)],
            ["log/2", new Uint8Array(9)],
          ]),
        ),
        /the part log\/1 twice/,
      ],
      ["with its log twice", crafted({ ...parts, [`${log}9`]: parts[log]! }), /the steps of the log must ascend in step/],
      [
        "that unfolds to far more than it holds",
        crafted({ ...parts, "groups/1": new Uint8Array(40_000_000) }),
        /says that it unfolds to \d+ bytes, more than/,
      ],
      ["with a manifest of another kind", crafted(parts, { checkpoint: "one" }), /checkpoint must be/],
      [
        "that lacks a part",
        crafted(parts, { parts: { ...decodeManifest(parts[MANIFEST]!).parts, "log/7": factsOf(new Uint8Array(1)) } }),
        /log\/7 is missing/,
      ],
      [
        "whose log is noise",
        crafted({ ...parts, [log]: new Uint8Array(300).fill(7) }),
        /is damaged: it does not begin as a part of a saved run does/,
      ],
    ];
    for (const [what, file, sentence] of hostile) expect(await refusal(file), what).toMatch(sentence);
    // A bit of any part in an archive that was made anew.
    const roll = dice(5);
    for (let trial = 0; trial < tries(20, 100); trial++) {
      const name = Object.keys(parts)[roll(Object.keys(parts).length)]!;
      const bytes = parts[name]!.slice();
      bytes[roll(bytes.length)]! ^= 1 << roll(8);
      const said = await refusal(packFiles(new Map(Object.entries({ ...parts, [name]: bytes }))));
      expect(said, `${name}, trial ${trial}`).not.toBeNull();
      expect(isSentence(said!), said!).toBe(true);
    }
  }, 120_000);

  it("of a newer or an older version, and anything else, is named as what it is", async () => {
    const { saved } = await run;
    const parts = Object.fromEntries(filesOf("run", { ...saved, checkpoint: null, kept: [] }));
    expect(await refusal(crafted(parts, { version: 9 }))).toBe("the save must have version 8, got 9: a newer version of the lab wrote it");
    const textFile = (text: string) => new TextEncoder().encode(text);
    const older = "the saved run has version 7 or an older one, and this lab reads version 8";
    expect(await refusal(textFile(`rollout-file 1 ${"0".repeat(64)} 2 2 2\n{}`))).toBe(older);
    expect(await refusal(textFile('\x20\0\0\0\0\0\0\0[{"name":"run","length":9}]'))).toBe(older);
    const sealed = 'rollout-lab 01234567 99\n{"format":"rollout-lab-run","version":7,"runId":"run"}';
    expect(await refusal(zipOf([[MANIFEST, textFile(sealed)]]))).toBe("the save has version 7, and this lab reads version 8");
    expect(() => readImported([{ name: "a", bytes: textFile("rollout-file one") }])).toThrow("it is no saved run, or was cut short");
  });

  it("that an earlier version keeps in a store is listed with the reason, and can be deleted", async () => {
    const store = memoryStore();
    const sealed = 'rollout-lab 01234567 99\n{"format":"rollout-lab-run","version":7,"runId":"run"}';
    const files = new Map([[MANIFEST, new TextEncoder().encode(sealed)]]);
    store.saves.set("run", { summary: { runId: "run", step: 1, savedAt: 1, bytes: 1 }, files });
    const session = await driveSession({ store });
    const problem = "the save has version 7, and this lab reads version 8";
    expect((await session.first("saves")).runs).toMatchObject([{ runId: "run", step: 1, config: null, problem }]);
    await session.send({ type: "delete-save", runId: "run" });
    expect(store.saves.size).toBe(0);
  });
});
