import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolderStore, saveFilesIn } from "../../src/cli/folder/folderStore.ts";
import type { RunStore, StoredSave, StoredSummary } from "../../src/train/host.ts";
import { SAVE_LIST } from "../../src/train/save/importedSave.ts";

let folder: string;
/** What is in a store is of no known type before it is checked. */
const read = async (store: RunStore) => (await store.read("run")) as ReadonlyMap<string, Uint8Array>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "folder-store-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a save in a folder", () => {
  it("is read whole while it is written again and again", async () => {
    const writer = await createFolderStore(folder).open("run");
    const write = (step: number) =>
      writer!.write({
        summary: { runId: "run", step, savedAt: 0, bytes: 2 },
        put: new Map(["run", "log/0"].map((name) => [name, Uint8Array.of(step)])),
        removed: "all others",
      });
    await write(0);
    let isWriting = true;
    const writing = (async () => {
      for (let step = 1; step < 100; step++) {
        await write(step);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })().finally(() => {
      isWriting = false;
    });
    // Another process has a store of its own.
    const reader = createFolderStore(folder);
    let last = 0;
    while (isWriting) {
      const arrays = await read(reader);
      expect(arrays.get("log/0")).toEqual(arrays.get("run"));
      const [listed] = (await reader.list()) as readonly StoredSave[];
      const { step } = listed!.summary as StoredSummary;
      expect(listed?.manifest).toEqual(Uint8Array.of(step));
      expect(step).toBeGreaterThanOrEqual(last);
      last = step;
    }
    await writing;
    expect((await read(reader)).get("log/0")).toEqual(Uint8Array.of(99));
  });

  it("is of one write where the next did not wait for it", async () => {
    const own = await mkdtemp(join(tmpdir(), "folder-store-"));
    const store = createFolderStore(own);
    const writer = await store.open("run");
    const put = (bytes: number, value: number) =>
      writer!.write({
        summary: { runId: "run", step: value, savedAt: 0, bytes },
        put: new Map(["run", "log/0", "log/1"].map((name) => [name, new Uint8Array(bytes).fill(value)])),
        removed: "all others",
      });
    await Promise.all([put(3_000_000, 1), put(1_000, 2)]);
    const arrays = [...(await read(store)).values()];
    expect(arrays.map(({ length }) => length)).toEqual([1_000, 1_000, 1_000]);
    expect(arrays.every((bytes) => bytes.every((value) => value === 2))).toBe(true);
    await rm(own, { recursive: true });
  });

  it("leaves no file that its list does not name, of its own writes and of a process that ended in one", async () => {
    const own = await mkdtemp(join(tmpdir(), "folder-store-"));
    await writeFile(join(own, "77.bin"), "half a write");
    const writer = await createFolderStore(own).open("run");
    const write = (step: number, removed: readonly string[]) =>
      writer!.write({
        summary: { runId: "run", step, savedAt: 0, bytes: 2 },
        put: new Map(["run", `log/${step}`].map((name) => [name, Uint8Array.of(step)])),
        removed,
      });
    await write(0, []);
    expect((await readdir(own)).sort()).toEqual(["0.bin", "1.bin", SAVE_LIST]);
    await write(1, ["log/0"]);
    await write(2, []);
    expect((await readdir(own)).sort()).toEqual(["3.bin", "4.bin", "5.bin", SAVE_LIST]);
    await rm(own, { recursive: true });
  });

  it("that lacks a file says which", async () => {
    const store = createFolderStore(folder);
    await rm(join(folder, "198.bin"));
    await expect(store.read("run")).rejects.toThrow("198.bin");
  });
});

describe("a save in a folder of somebody else's", () => {
  const hostile = async (files: object, put: (own: string) => Promise<void> = async () => {}) => {
    const own = await mkdtemp(join(tmpdir(), "folder-store-"));
    await writeFile(join(own, "save.json"), JSON.stringify({ runId: "run", summary: {}, next: 1, files }));
    await put(own);
    // Both ways in: what is served beside the page, and what is read for a run.
    const served = await saveFilesIn(own).then(() => null, String);
    const read = await Promise.resolve(createFolderStore(own).read("run")).then(() => null, String);
    expect(read).toBe(served);
    await rm(own, { recursive: true });
    return served;
  };

  it.each([
    [{ "x/etc": "../../../../../../etc/hostname" }, 'names "x/etc", which is no part of a save'],
    [{ run: "../../../../../../etc/hostname" }, 'must name a file such as 0.bin for run, got "../../../../../../etc/hostname"'],
    [{ run: "/etc/hostname" }, 'got "/etc/hostname"'],
    [{ run: "0.bin/../../1.bin" }, 'got "0.bin/../../1.bin"'],
    [{ run: ["0.bin"] }, "must name a file such as 0.bin for run"],
    [{ "log/../run": "0.bin" }, 'names "log/../run"'],
    [{ "checkpoint/1/../../x": "0.bin" }, "which is no part of a save"],
  ])("is refused where its list names %j", async (files, sentence) => {
    expect(await hostile(files)).toContain(sentence);
  });

  it("is refused where one of its files is gone, which is named", async () => {
    expect(await hostile({ run: "7.bin" })).toMatch(/7\.bin cannot be read: it is not there$/);
  });

  it("is refused where a folder stands in a file's place", async () => {
    const reason = await hostile({ run: "0.bin" }, (own) => mkdir(join(own, "0.bin")));
    expect(reason).toMatch(/0\.bin cannot be read: it is a folder$/);
  });

  it("is refused where a file is a link out of it", async () => {
    const reason = await hostile({ run: "0.bin" }, (own) => symlink("/etc/hostname", join(own, "0.bin")));
    expect(reason).toMatch(/0\.bin cannot be read: it is a link, which is not followed$/);
  });
});
