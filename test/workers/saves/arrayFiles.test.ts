// Checkpoints of saved runs as files, with their records in the database: in which order both are written, what is left
// of a write that was cut off, and what happens where the browser has no files.
import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunStore, SaveChange } from "../../../src/train/host.ts";
import { createRunStore } from "../../../workers/saves/runStore.ts";
import { givePrivateFiles, type PrivateFiles, takePrivateFiles } from "../../support/fileSystem.ts";
import { storeBehindPorts } from "../../support/storePorts.ts";

const POLICY = "checkpoint/1/model.policy";
const KEPT = "checkpoint/8/model.policy";
const array = (value: number, bytes = 20_000) => new Uint8Array(bytes).fill(value);

/** Locks of all tabs of a browser; the runs that a tab has are free once it has gone. */
const held = new Set<string>();
const takeLock = async (name: string) => {
  if (held.has(name)) return null;
  held.add(name);
  return () => void held.delete(name);
};

let disk: PrivateFiles;
let store: RunStore;
beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  held.clear();
  disk = givePrivateFiles();
  store = storeBehindPorts(createRunStore(takeLock));
});
afterEach(takePrivateFiles);

const change = (step: number, put: Record<string, Uint8Array>, removed: SaveChange["removed"] = "all others"): SaveChange => ({
  summary: { runId: "a", step, savedAt: step, bytes: 1 },
  put: new Map(Object.entries(put)),
  removed,
});
const RUN = { run: array(1, 40), [POLICY]: array(2) };
const contents = async (runId = "a") =>
  Object.fromEntries([...(await store.read(runId))].map(([name, bytes]) => [name, [bytes[0], bytes.length]]));
const inDatabase = async () => (await openDB("rollout-lab")).getAllKeys("files");

describe("arrays of saved runs", () => {
  it("lie in files where they are large, and everything else in the database", async () => {
    const save = (await store.open("a"))!;
    await save.write(change(1, { ...RUN, "checkpoint/1/model.first": array(3, 100), "groups/1": array(4) }));
    expect(await contents()).toEqual({
      ...{ run: [1, 40], [POLICY]: [2, 20_000] },
      ...{ "checkpoint/1/model.first": [3, 100], "groups/1": [4, 20_000] },
    });
    expect([...disk.files.values()].map(({ length }) => length)).toEqual([20_000]);
    expect(await inDatabase()).toHaveLength(3);
  });

  it("are not read where nobody wants them: not for the list, not for the records, not for a write", async () => {
    const save = (await store.open("a"))!;
    await save.write(change(1, { ...RUN, [KEPT]: array(5) }));
    await store.list();
    await save.write(change(2, { "log/1": array(6, 10) }, []));
    const records = await store.read("a", (name) => !name.startsWith("checkpoint/"));
    expect([...records.keys()].sort()).toEqual(["log/1", "run"]);
    expect(disk.read).toEqual([]);
    await store.read("a", (name) => name === KEPT);
    expect(disk.read).toHaveLength(1);
  });

  it("are replaced by later ones, of which alone a file stays, and kept where a whole write says so", async () => {
    const save = (await store.open("a"))!;
    await save.write(change(1, { ...RUN, [KEPT]: array(5) }));
    await save.write(change(2, { "checkpoint/2/model.policy": array(7) }, [POLICY]));
    expect(disk.files.size).toBe(2);
    await save.write({ ...change(3, { run: array(1, 40), [POLICY]: array(8) }), stays: [KEPT] });
    expect(await contents()).toEqual({ run: [1, 40], [POLICY]: [8, 20_000], [KEPT]: [5, 20_000] });
    expect(disk.files.size).toBe(2);
    await save.write(change(4, { [POLICY]: array(9) }, []));
    expect((await contents())[POLICY]).toEqual([9, 20_000]);
    expect(disk.files.size).toBe(2);
    await save.remove();
    expect([disk.files.size, await contents(), await inDatabase()]).toEqual([0, {}, []]);
  });

  it("of a write that comes to nothing leave no file, and the save stays as it was", async () => {
    const save = (await store.open("a"))!;
    await save.write(change(1, RUN));
    disk.room = 30_000;
    await expect(
      save.write(change(2, { "checkpoint/2/model.policy": array(7), "checkpoint/2/model.first": array(8) }, [POLICY])),
    ).rejects.toMatchObject({ name: "QuotaExceededError" });
    const uncloneable = {
      ...change(2, { [POLICY]: array(9) }, []),
      put: new Map([
        [POLICY, array(9)],
        ["x", (() => {}) as unknown as Uint8Array],
      ]),
    };
    disk.room = 1e9;
    await expect(save.write(uncloneable)).rejects.toThrow();
    expect(await contents()).toEqual({ run: [1, 40], [POLICY]: [2, 20_000] });
    expect(disk.files.size).toBe(1);
    await save.write(change(2, { [POLICY]: array(7) }, []));
    expect((await contents())[POLICY]).toEqual([7, 20_000]);
  });

  it("that a write or a deletion left behind go when the lab is opened next, but for a run that somebody writes", async () => {
    await (await store.open("a"))!.write(change(1, RUN));
    const named = [...disk.files.keys()];
    const orphan = (runId: string) => disk.files.set(`${encodeURIComponent(runId)}~${crypto.randomUUID()}`, array(1));
    for (const runId of ["a", "gone / ~ä", "written"]) orphan(runId);
    held.clear();
    // A tab that is about to name its file.
    const writing = await takeLock("rollout-lab/written");
    store = storeBehindPorts(createRunStore(takeLock));
    await store.list();
    await expect.poll(() => [...disk.files.keys()].map((name) => name.split("~")[0])).toEqual(["a", "written"]);
    expect([...disk.files.keys()][0]).toBe(named[0]);
    writing?.();
    await storeBehindPorts(createRunStore(takeLock)).list();
    await expect.poll(() => [...disk.files.keys()]).toEqual(named);
    expect([...held]).toEqual([]);
    expect(await contents()).toEqual({ run: [1, 40], [POLICY]: [2, 20_000] });
  });

  it("that are lost are left out, and nothing else of the run", async () => {
    await (await store.open("a"))!.write(change(1, { ...RUN, [KEPT]: array(5) }));
    disk.files.delete([...disk.files.keys()][0]!);
    expect(await contents()).toEqual({ run: [1, 40], [KEPT]: [5, 20_000] });
  });

  it("that another tab replaces meanwhile are read as it leaves them", async () => {
    const save = (await store.open("a"))!;
    await save.write(change(0, { run: array(0, 40), [POLICY]: array(0) }));
    let isWriting = true;
    const writing = (async () => {
      for (let step = 1; step <= 40; step++) await save.write(change(step, { [POLICY]: array(step), run: array(step, 40) }, []));
      isWriting = false;
    })();
    const reader = storeBehindPorts(createRunStore(takeLock));
    while (isWriting) {
      const files = await reader.read("a");
      expect(files.get(POLICY)![0]).toBe(files.get("run")![0]);
    }
    await writing;
    expect(disk.files.size).toBe(1);
  });

  it("lie in the database where the browser has no files or refuses one, and go on from there once it has", async () => {
    takePrivateFiles();
    const save = (await store.open("a"))!;
    await save.write(change(1, { ...RUN, [KEPT]: array(5) }));
    expect(await inDatabase()).toHaveLength(3);
    disk = givePrivateFiles();
    disk.refusal = new DOMException("not in a private window", "InvalidStateError");
    await save.write(change(2, { [POLICY]: array(6) }, []));
    expect([disk.files.size, await contents()]).toEqual([0, { run: [1, 40], [POLICY]: [6, 20_000], [KEPT]: [5, 20_000] }]);
    disk.refusal = null;
    await save.write(change(3, { [POLICY]: array(7) }, []));
    expect([disk.files.size, await inDatabase(), await contents()]).toEqual([
      1,
      [
        ["a", KEPT],
        ["a", "run"],
      ],
      { run: [1, 40], [POLICY]: [7, 20_000], [KEPT]: [5, 20_000] },
    ]);
  });

  it("are written in turn: one that nobody waits for any more does not end after the one in its place", async () => {
    const save = (await store.open("a"))!;
    await save.write(change(1, RUN));
    const late = save.write(change(2, { run: array(2, 40), [POLICY]: array(3, 5_000_000) }));
    await save.write(change(3, { run: array(3, 40), [POLICY]: array(4) }));
    await late;
    expect(await contents()).toEqual({ run: [3, 40], [POLICY]: [4, 20_000] });
    expect((await store.list())[0]?.summary).toMatchObject({ step: 3 });
  });
});
