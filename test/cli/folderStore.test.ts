import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFolderStore } from "../../src/cli/runs/folderStore.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "folder-store-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a save in a folder", () => {
  it("is read whole while it is written again and again", async () => {
    const writer = await createFolderStore(folder).open("run");
    const write = (step: number) =>
      writer.write({
        summary: { runId: "run", step, savedAt: 0, bytes: 2 },
        put: new Map(["run", "log"].map((name) => [name, Uint8Array.of(step)])),
        removed: "all others",
      });
    await write(0);
    let isWriting = true;
    const writing = (async () => {
      for (let step = 1; step < 100; step++) await write(step);
    })().finally(() => {
      isWriting = false;
    });
    // Another process has a store of its own.
    const reader = createFolderStore(folder);
    let last = 0;
    while (isWriting) {
      const arrays = await reader.read("run");
      expect(arrays.get("log")).toEqual(arrays.get("run"));
      const [listed] = await reader.list();
      expect(listed?.manifest).toEqual(Uint8Array.of(listed!.summary.step));
      expect(listed!.summary.step).toBeGreaterThanOrEqual(last);
      last = listed!.summary.step;
    }
    await writing;
    expect((await reader.read("run")).get("log")).toEqual(Uint8Array.of(99));
  });

  it("that lacks a file says which", async () => {
    const store = createFolderStore(folder);
    await rm(join(folder, "198.bin"));
    await expect(store.read("run")).rejects.toThrow("198.bin");
  });
});
