// What this browser keeps of somebody's own things: each with its versions, which never change but for the runs that used them.
// A version is added in one transaction, so that two tabs never lose each other's; a database of its own stands beside the saves'.
import type { DBSchema } from "idb";
import { databaseOf } from "../../../../browser/database.ts";
import { isSameContent, type OwnContent, type OwnThing } from "../../../../protocol/custom/ownThings.ts";

/** A run that was started with a version. */
export interface VersionUse {
  readonly runId: string;
  readonly at: number;
}

export interface KeptVersion {
  /** From 1. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly content: OwnContent;
  readonly usedBy: readonly VersionUse[];
}

/** A thing with all its versions, oldest first. */
export interface KeptThing {
  readonly kind: string;
  readonly name: string;
  readonly versions: readonly KeptVersion[];
}

interface ThingRow {
  readonly kind: string;
  readonly name: string;
  readonly head: number;
  /** Since when it is out of sight; null while it is not. */
  readonly deletedAt: number | null;
}

type Key = readonly [kind: string, name: string];

interface LibrarySchema extends DBSchema {
  readonly things: { readonly key: [string, string]; readonly value: ThingRow };
  readonly versions: {
    readonly key: [string, string, number];
    readonly value: KeptVersion & { readonly kind: string; readonly name: string };
  };
}

/** How long what was deleted can be brought back. */
const DELETED_MS = 3_600_000;
/** Runs that are told of a version, the newest. */
const MOST_USES = 50;

const keyOf = ({ kind, name }: Pick<OwnThing, "kind" | "name">): [string, string] => [kind, name];
const versionsOf = ([kind, name]: Key) => IDBKeyRange.bound([kind, name, 0], [kind, name, Number.MAX_SAFE_INTEGER]);

const database = databaseOf<LibrarySchema>("rollout-lab-library", 1, (fresh) => {
  fresh.createObjectStore("things", { keyPath: ["kind", "name"] });
  fresh.createObjectStore("versions", { keyPath: ["kind", "name", "n"] });
});

export interface LibraryContents {
  readonly kept: readonly KeptThing[];
  /** What was deleted and can still be brought back, newest first. */
  readonly deleted: readonly KeptThing[];
}

/** All that is kept, and what can be brought back; what was deleted long ago goes for good. @param now milliseconds since 1970 */
export async function readThings(now: number): Promise<LibraryContents> {
  const transaction = await database.begin(["things", "versions"], "readwrite");
  const things = transaction.objectStore("things");
  const versions = transaction.objectStore("versions");
  const kept: KeptThing[] = [];
  const deleted: (KeptThing & { readonly deletedAt: number })[] = [];
  for (const row of await things.getAll()) {
    const { kind, name, deletedAt } = row;
    if (deletedAt !== null && now - deletedAt >= DELETED_MS) {
      await things.delete(keyOf(row));
      await versions.delete(versionsOf(keyOf(row)));
      continue;
    }
    const all = (await versions.getAll(versionsOf(keyOf(row)))).map(({ n, at, content, usedBy }) => ({ n, at, content, usedBy }));
    if (all.length === 0) continue;
    if (deletedAt === null) kept.push({ kind, name, versions: all });
    else deleted.push({ kind, name, versions: all, deletedAt });
  }
  await transaction.done;
  return { kept, deleted: deleted.sort((a, b) => b.deletedAt - a.deletedAt) };
}

/** Adds a version behind those that are there, unless the newest is the same. Gives the number of the newest. */
export async function addVersion(thing: OwnThing, now: number): Promise<number> {
  const transaction = await database.begin(["things", "versions"], "readwrite");
  const things = transaction.objectStore("things");
  const versions = transaction.objectStore("versions");
  const { kind, name, content } = thing;
  let before = await things.get(keyOf(thing));
  if (before && before.deletedAt !== null) {
    // What was deleted makes way for another of its name.
    await versions.delete(versionsOf(keyOf(thing)));
    before = undefined;
  }
  const newest = before && (await versions.get([kind, name, before.head]));
  if (newest && isSameContent(newest.content, content)) return newest.n;
  const head = (before?.head ?? 0) + 1;
  await versions.put({ kind, name, n: head, at: now, content, usedBy: [] });
  await things.put({ kind, name, head, deletedAt: null });
  await transaction.done;
  return head;
}

/** Notes a run on the version that has this content, if one has. */
export async function noteUse(thing: OwnThing, use: VersionUse): Promise<void> {
  const transaction = await database.begin(["versions"], "readwrite");
  const versions = transaction.objectStore("versions");
  const kept = await versions.getAll(versionsOf(keyOf(thing)));
  const used = kept.findLast(({ content }) => isSameContent(content, thing.content));
  if (used) await versions.put({ ...used, usedBy: [...used.usedBy.filter(({ runId }) => runId !== use.runId), use].slice(-MOST_USES) });
  await transaction.done;
}

/** Takes a thing out of sight, or brings it back. @param at since when it is deleted; null brings it back */
export async function setDeleted(thing: Pick<OwnThing, "kind" | "name">, at: number | null): Promise<void> {
  const transaction = await database.begin(["things"], "readwrite");
  const things = transaction.objectStore("things");
  const row = await things.get(keyOf(thing));
  if (row) await things.put({ ...row, deletedAt: at });
  await transaction.done;
}
