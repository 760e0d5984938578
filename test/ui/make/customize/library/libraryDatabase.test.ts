// What the browser keeps of custom things: versions that are never lost or changed, also with two tabs.
import "fake-indexeddb/auto";
import { describe, expect, it } from "vitest";
import { readOwnThing } from "../../../../../src/protocol/custom/ownThings.ts";
import { addVersion, noteUse, readThings, setDeleted } from "../../../../../src/ui/make/customize/library/libraryDatabase.ts";

const HOUR = 3_600_000;
const listThings = async (now: number) => (await readThings(now)).kept;
const named = (name: string, source: string) => readOwnThing("reward", name, { source });

describe("the library", () => {
  it("keeps each version with its date, and none twice in a row", async () => {
    expect(await addVersion(named("a", "one"), 10)).toBe(1);
    expect(await addVersion(named("a", "one"), 20)).toBe(1);
    expect(await addVersion(named("a", "two"), 30)).toBe(2);
    // Back to the first is a third.
    expect(await addVersion(named("a", "one"), 40)).toBe(3);
    const [thing] = await listThings(50);
    expect(thing?.versions.map(({ n, at, content }) => [n, at, content.source])).toEqual([
      [1, 10, "one"],
      [2, 30, "two"],
      [3, 40, "one"],
    ]);
  });

  it("loses no version where several are added at once", async () => {
    const heads = await Promise.all(Array.from({ length: 20 }, (_, i) => addVersion(named("b", `text ${i}`), i)));
    expect([...heads].sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const thing = (await listThings(0)).find(({ name }) => name === "b");
    expect(new Set(thing?.versions.map(({ content }) => content.source)).size).toBe(20);
  });

  it("notes the runs that used a version, each once, and on no other", async () => {
    await addVersion(named("c", "one"), 1);
    await addVersion(named("c", "two"), 2);
    for (const runId of ["run-1", "run-2", "run-1"]) await noteUse(named("c", "one"), { runId, at: 5 });
    await noteUse(named("c", "never kept"), { runId: "run-3", at: 6 });
    const thing = (await listThings(7)).find(({ name }) => name === "c");
    expect(thing?.versions.map(({ usedBy }) => usedBy.map(({ runId }) => runId))).toEqual([["run-2", "run-1"], []]);
  });

  it("brings back what was deleted, until an hour later or another of its name comes", async () => {
    const thing = named("d", "one");
    const found = async (now: number) => (await listThings(now)).some(({ name }) => name === "d");
    await addVersion(thing, 1);
    await setDeleted(thing, 100);
    expect(await found(200)).toBe(false);
    expect((await readThings(200)).deleted.map(({ name }) => name)).toEqual(["d"]);
    await setDeleted(thing, null);
    expect(await found(300)).toBe(true);
    await setDeleted(thing, 400);
    expect(await addVersion(named("d", "another"), 500)).toBe(1);
    await setDeleted(thing, 600);
    expect((await readThings(600 + HOUR)).deleted).toEqual([]);
    await setDeleted(thing, null);
    expect(await found(601 + HOUR)).toBe(false);
  });
});
