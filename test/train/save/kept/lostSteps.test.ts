// A file of kept rollouts that is damaged or gone costs the sight of its step and nothing else: the save is opened, one
// sentence says which file it is, and a run that goes on has a whole save again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderStore } from "../../../../src/cli/folder/folderStore.ts";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { type ImportedFile, readSaveList, SAVE_LIST } from "../../../../src/train/save/importedSave.ts";
import { keptName } from "../../../../src/train/save/kept/groupFile.ts";
import { lostRemark } from "../../../../src/train/save/kept/lostSteps.ts";
import { readPart, writePart } from "../../../../src/train/save/parts.ts";
import { readSave, type SaveFiles } from "../../../../src/train/save/readSave.ts";
import { packFiles } from "../../../../src/train/save/rollout/packedFiles.ts";
import { type DrivenSession, driveSession } from "../../../support/driveSession.ts";
import { type MemoryStore, memoryStore } from "../../../support/memoryStore.ts";

const STEPS = 4;
const table: RunConfigInput = {
  ...{ task: "digit-sum", model: "tabular", promptsPerStep: 2, groupSize: 4, evalEvery: 0, evalProblems: 4 },
  ...{ steps: STEPS, keptMegabytes: 100 },
};
const BAD = keptName(2);
const REMARK =
  "1 file of kept rollouts is damaged or missing (groups/2): that step cannot be looked at. Everything else of the saved run is here.";

let known: SaveFiles | null = null;
/** The files of a run that keeps all of its steps. */
async function savedFiles(): Promise<SaveFiles> {
  if (known) return known;
  const store = memoryStore();
  const session = await driveSession({ store });
  await session.send({ type: "start", runId: "run", config: table, paused: true });
  for (let step = 1; step <= STEPS; step++) await session.send({ type: "advance", unit: "step" });
  await session.send({ type: "save" });
  known = new Map((await store.read("run")) as SaveFiles);
  return known;
}

function flipped(bytes: Uint8Array): Uint8Array {
  const hurt = bytes.slice();
  hurt[hurt.length - 5]! ^= 4;
  return hurt;
}

const DAMAGES: Readonly<Record<string, (files: SaveFiles) => Uint8Array>> = {
  "has a flipped bit": (files) => flipped(files.get(BAD)!),
  "was cut short": (files) => files.get(BAD)!.slice(0, 40),
  "is empty": () => new Uint8Array(0),
  "holds another step": (files) => files.get(keptName(1))!,
  "belongs to another run": (files) => {
    const { header, payload } = readPart(files.get(keptName(1))!, keptName(1));
    return writePart({ ...(header as object), step: 2 }, payload);
  },
};

const damaged = (files: SaveFiles, how = "has a flipped bit"): SaveFiles => new Map([...files, [BAD, DAMAGES[how]!(files)]]);

function storeWith(files: SaveFiles): MemoryStore {
  const store = memoryStore();
  store.saves.set("run", { summary: { runId: "run", step: STEPS, savedAt: 1, bytes: 1 }, files });
  return store;
}

/** The files as a run folder's save/ holds them. */
function inFolder(files: SaveFiles): ImportedFile[] {
  const entries = [...files].map(([name, bytes], i) => ({ name, file: `${i}.bin`, bytes }));
  const list = { runId: "run", next: entries.length, files: Object.fromEntries(entries.map(({ name, file }) => [name, file])) };
  return [
    { name: SAVE_LIST, bytes: new TextEncoder().encode(JSON.stringify(list)) },
    ...entries.map(({ file, bytes }) => ({ name: file, bytes })),
  ];
}

const fileOf = (folder: readonly ImportedFile[], name: string) =>
  readSaveList(new TextDecoder().decode(folder[0]!.bytes), SAVE_LIST).files[name]!;
const notices = (session: DrivenSession) => session.all("notice").map(({ message }) => message);
const stepsTold = (session: DrivenSession) =>
  session
    .all("history")
    .at(-1)!
    .steps.map(({ step }) => step);

describe("a file of kept rollouts", () => {
  it.each(Object.keys(DAMAGES))("that %s is left out, and the rest of the save is as it was", async (how) => {
    const files = await savedFiles();
    const { kept, ...whole } = readSave("run", files);
    const { kept: left, lost, ...read } = readSave("run", damaged(files, how));
    expect(kept.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    expect(read).toEqual(whole);
    expect(lost).toEqual([BAD]);
    expect(left).toEqual(kept.filter(({ step }) => step !== 2));
  });

  it("that is lost is told once where the run is looked at, and its step is not in the recording", async () => {
    const session = await driveSession({ store: storeWith(damaged(await savedFiles())) });
    await session.send({ type: "open", runId: "run", paused: true });
    expect(notices(session)).toEqual([REMARK]);
    expect(stepsTold(session)).toEqual([1, 2, 3, 4]);
    expect(session.all("history").at(-1)!.kept).toEqual([1, 3, 4]);
    await expect(session.send({ type: "inspect", step: 2 })).rejects.toThrow("the rollouts of step 2 are not in the recording");
    expect((await session.send({ type: "inspect", step: 3 })).groups).toHaveLength(2);
  });

  it("that is lost is told where the run goes on, whose save is then whole", async () => {
    const store = storeWith(damaged(await savedFiles()));
    const session = await driveSession({ store });
    await session.send({ type: "continue", runId: "run", paused: true });
    expect(notices(session)).toEqual([REMARK]);
    await session.first("saved");
    const { lost, kept } = readSave("run", (await store.read("run")) as SaveFiles);
    expect(lost).toBeUndefined();
    expect(kept.map(({ step }) => step)).toEqual(expect.arrayContaining([1, 3, 4]));
  });
});

describe("a save that is brought", () => {
  it.each([
    ["one file with a damaged step", async () => [{ name: "a", bytes: packFiles(damaged(await savedFiles())) }]],
    [
      "a folder that lacks a step",
      async () => {
        const folder = inFolder(await savedFiles());
        return folder.filter(({ name }) => name !== fileOf(folder, BAD));
      },
    ],
  ])("as %s is kept, also under another name, and says so when it is opened", async (_how, bring) => {
    const store = memoryStore();
    store.saves.set("run", { summary: { runId: "run", step: 0, savedAt: 1, bytes: 0 }, files: new Map([["run", new Uint8Array(1)]]) });
    const session = await driveSession({ store });
    expect(await session.send({ type: "add-save", files: await bring() })).toEqual({ runId: "run-2" });
    await session.send({ type: "open", runId: "run-2", paused: true });
    expect(notices(session)).toEqual([REMARK]);
    expect(session.all("history").at(-1)!.kept).toEqual([1, 3, 4]);
  });

  it("under another name does not make another run's step its own", async () => {
    const store = memoryStore();
    store.saves.set("run", { summary: { runId: "run", step: 0, savedAt: 1, bytes: 0 }, files: new Map([["run", new Uint8Array(1)]]) });
    const session = await driveSession({ store });
    const files = [{ name: "a", bytes: packFiles(damaged(await savedFiles(), "belongs to another run")) }];
    await session.send({ type: "add-save", files });
    expect(readSave("run-2", store.saves.get("run-2")!.files).lost).toEqual([BAD]);
  });
});

describe("a run's folder", () => {
  it("that lacks the file of a step is read, and one that lacks its log is not", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lost-steps-"));
    try {
      const store = createFolderStore(folder);
      const files = await savedFiles();
      const writer = await store.open("run");
      await writer!.write({ summary: { runId: "run", step: STEPS, savedAt: 0, bytes: 0 }, put: files, removed: "all others" });
      const fileAt = (name: string) => join(folder, `${[...files.keys()].indexOf(name)}.bin`);
      await rm(fileAt(BAD));
      const read = readSave("run", (await store.read("run")) as SaveFiles);
      expect([read.kept.map(({ step }) => step), read.lost]).toEqual([[1, 3, 4], [BAD]]);
      const log = [...files.keys()].find((name) => name.startsWith("log/"))!;
      await rm(fileAt(log));
      await expect(store.read("run")).rejects.toThrow("it is not there");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the sentence about lost files", () => {
  it("names three of them and counts the others", () => {
    const names = [1, 2, 3, 4, 5].map(keptName);
    expect(lostRemark(names)).toContain("5 files of kept rollouts are damaged or missing (groups/1, groups/2, groups/3 and 2 more)");
    expect(lostRemark(names.slice(0, 2))).toContain("(groups/1, groups/2): those steps cannot be looked at");
    expect(lostRemark([])).toBeNull();
  });
});
