// Saved runs in IndexedDB, on an implementation of it in Node.
import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { openDB } from "idb";
import { beforeEach, describe, expect, it } from "vitest";
import type { RunStore, SaveChange } from "../../../src/train/host.ts";
import { createRunStore } from "../../../workers/saves/runStore.ts";
import { storeElsewhere } from "../../../workers/saves/storeElsewhere.ts";
import { storeBehindPorts } from "../../support/storePorts.ts";

/** Locks of two tabs in one process. */
function lockTable() {
  const held = new Set<string>();
  return async (name: string) => {
    if (held.has(name)) return null;
    held.add(name);
    return () => void held.delete(name);
  };
}

let takeLock = lockTable();
let store: RunStore;
beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
  takeLock = lockTable();
  store = storeBehindPorts(createRunStore(takeLock));
});

const summary = (runId: string, step: number) => ({ runId, step, savedAt: step, bytes: 3 });
const change = (runId: string, step: number, files: Record<string, number[]>, removed: SaveChange["removed"]): SaveChange => ({
  summary: summary(runId, step),
  put: new Map(Object.entries(files).map(([name, bytes]) => [name, Uint8Array.from(bytes)])),
  removed,
});
const read = async (runId: string) => Object.fromEntries([...(await store.read(runId))].map(([name, bytes]) => [name, [...bytes]]));

describe("a store that cannot be reached", () => {
  it("says why to all who wait for it, and is begun anew for who asks next", async () => {
    const lost: ((reason: string) => void)[] = [];
    const away = storeElsewhere((onLost) => {
      lost.push(onLost);
      return { postMessage() {}, onmessage: null };
    });
    const [listed, opened] = [away.list(), away.open("a")];
    lost[0]!("the script of the storage could not be downloaded");
    await expect(listed).rejects.toThrow("the script of the storage could not be downloaded");
    await expect(opened).rejects.toThrow("the script of the storage could not be downloaded");
    void away.list();
    expect(lost).toHaveLength(2);
  });
});

describe("the store of saved runs", () => {
  it("gives back what was written, by run, also to another tab", async () => {
    const save = (await store.open("a"))!;
    await save.write(change("a", 1, { run: [1, 2], "log/0": [3] }, "all others"));
    await save.write(change("a", 2, { "log/1": [4] }, ["log/0"]));
    const other = (await store.open("aa"))!;
    await other.write(change("aa", 9, { run: [9] }, "all others"));
    store = storeBehindPorts(createRunStore(takeLock));
    expect(await read("a")).toEqual({ run: [1, 2], "log/1": [4] });
    expect(await read("aa")).toEqual({ run: [9] });
    expect(await read("b")).toEqual({});
    expect(await store.list()).toEqual([
      { runId: "a", summary: summary("a", 2), manifest: Uint8Array.of(1, 2) },
      { runId: "aa", summary: summary("aa", 9), manifest: Uint8Array.of(9) },
    ]);
  });

  it("writes a save anew without what was there", async () => {
    const save = (await store.open("a"))!;
    await save.write(change("a", 1, { run: [1], "log/0": [3], x: [5] }, "all others"));
    await save.write(change("a", 2, { run: [2] }, "all others"));
    expect(await read("a")).toEqual({ run: [2] });
  });

  it("keeps what is written on a run through whole writes, whoever has the run, and lists it", async () => {
    const save = (await store.open("a"))!;
    await save.write(change("a", 1, { run: [1] }, "all others"));
    const other = storeBehindPorts(createRunStore(takeLock));
    expect(await other.label("a", Uint8Array.of(7))).toBe(true);
    await save.write(change("a", 2, { x: [5] }, []));
    await save.write(change("a", 3, { run: [3] }, "all others"));
    expect(await read("a")).toEqual({ run: [3], label: [7] });
    expect(await store.list()).toEqual([{ runId: "a", summary: summary("a", 3), manifest: Uint8Array.of(3), label: Uint8Array.of(7) }]);
    expect(await other.label("a", null)).toBe(true);
    expect(await read("a")).toEqual({ run: [3] });
    expect(await other.label("nobody", Uint8Array.of(7))).toBe(false);
    expect(await read("nobody")).toEqual({});
  });

  it("keeps many runs: none makes room for another", async () => {
    for (let i = 0; i < 40; i++) await (await store.open(`run ${i}`))!.write(change(`run ${i}`, i, { run: [i] }, "all others"));
    expect(await store.list()).toHaveLength(40);
  });

  it("does all of a write or nothing", async () => {
    const save = (await store.open("a"))!;
    await save.write(change("a", 1, { run: [1], x: [5] }, "all others"));
    const uncloneable = new Map([
      ["run", Uint8Array.of(2)],
      ["y", (() => {}) as unknown as Uint8Array],
    ]);
    await expect(save.write({ summary: summary("a", 2), put: uncloneable, removed: ["x"] })).rejects.toThrow();
    expect(await read("a")).toEqual({ run: [1], x: [5] });
    expect((await store.list())[0]?.summary).toEqual(summary("a", 1));
  });

  it("refuses to add to a save that is gone or that somebody else wrote", async () => {
    const save = (await store.open("a"))!;
    await save.write(change("a", 1, { run: [1] }, "all others"));
    const unlocked = createRunStore(lockTable());
    await (await unlocked.open("a"))!.write(change("a", 5, { run: [5] }, "all others"));
    await expect(save.write(change("a", 2, { x: [2] }, []))).rejects.toThrow("the save is gone or was changed by somebody else");
    expect(await read("a")).toEqual({ run: [5] });
    await (await unlocked.open("b"))!.remove();
    const database = await openDB("rollout-lab");
    await database.clear("runs");
    await database.clear("files");
    await expect(save.write(change("a", 2, { x: [2] }, []))).rejects.toThrow("the save is gone");
    await save.write(change("a", 3, { run: [3] }, "all others"));
    expect(await read("a")).toEqual({ run: [3] });
    database.close();
  });

  it("opens the database again after its connection was closed", async () => {
    const save = (await store.open("a"))!;
    await save.write(change("a", 1, { run: [1] }, "all others"));
    // A newer version elsewhere closes it; then that goes away and all data with it.
    await new Promise((resolve) => {
      indexedDB.deleteDatabase("rollout-lab").onsuccess = resolve;
    });
    expect(await store.list()).toEqual([]);
    await save.write(change("a", 2, { run: [2] }, "all others"));
    expect(await read("a")).toEqual({ run: [2] });
  });

  it("gives a run to one tab at a time", async () => {
    const other = storeBehindPorts(createRunStore(takeLock));
    const save = (await store.open("a"))!;
    expect(await other.open("a")).toBeNull();
    expect(await other.open("b")).not.toBeNull();
    save.close();
    // What one tab asks is done in turn.
    await store.list();
    expect(await other.open("a")).not.toBeNull();
  });

  it("deletes a run and nothing else", async () => {
    for (const runId of ["a", "b"]) await (await store.open(runId))!.write(change(runId, 1, { run: [1], x: [2] }, "all others"));
    await (await createRunStore(lockTable()).open("a"))!.remove();
    expect(await read("a")).toEqual({});
    expect((await store.list()).map(({ runId }) => runId)).toEqual(["b"]);
  });

  it("lists the runs of its first version as runs without a save", async () => {
    const old = await openDB("rollout-lab", 1, {
      upgrade(db) {
        db.createObjectStore("runs", { keyPath: "runId" }).createIndex("savedAt", "savedAt");
        db.createObjectStore("bytes");
      },
    });
    await old.put("runs", { runId: "a", step: 4, config: { task: "digit-sum" }, savedAt: 7 });
    await old.put("bytes", Uint8Array.of(1, 2, 3), "a");
    old.close();
    expect(await store.list()).toEqual([{ runId: "a", summary: undefined, manifest: null }]);
    expect(await read("a")).toEqual({});
    await (await store.open("a"))!.remove();
    expect(await store.list()).toEqual([]);
  });

  it("says that a newer version has been here, and what is thrown where storage is refused", async () => {
    (await openDB("rollout-lab", 99)).close();
    await expect(store.list()).rejects.toMatchObject({ name: "VersionError" });
    globalThis.indexedDB = {
      open: () => {
        throw new DOMException("storage is off", "SecurityError");
      },
    } as unknown as IDBFactory;
    await expect(storeBehindPorts(createRunStore(takeLock)).list()).rejects.toMatchObject({ name: "SecurityError" });
    expect(await createRunStore(lockTable()).open("a")).not.toBeNull();
  });
});
