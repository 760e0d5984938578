// The library as the page shows it, the same in every tab: what is kept, and what came of the last thing that was done. Where
// storage refuses, a sentence says so and whatever was to be kept stays in the form.
import type { RunConfig } from "../../../../protocol/config.ts";
import { isSameContent, type OwnThing, ownKind, thingsIn, titleOf } from "../../../../protocol/custom/ownThings.ts";
import { errorText } from "../../../../protocol/problems.ts";
import { changeLibraryFacts, type LibraryFacts, useCustomize } from "../customizeStore.ts";
import { addVersion, type KeptThing, type KeptVersion, noteUse, readThings, setDeleted } from "./libraryDatabase.ts";

const SENTENCES: Readonly<Record<string, string>> = {
  QuotaExceededError: "The browser's storage for this site is full, so it was not kept: delete saved runs on Runs, or save it as a file.",
  VersionError: "A newer version of the lab has used this browser's library, which this version cannot read: reload the page.",
  SecurityError: "The browser refuses to store anything for this site, as in some private windows: save it as a file instead.",
};

/** Why storage failed, as a sentence. */
function storageSentence(error: unknown): string {
  const named = error instanceof Error ? SENTENCES[error.name] : undefined;
  return named ?? `Your library cannot be used: ${errorText(error)}.`;
}

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("rollout-lab-library");

async function refresh(): Promise<void> {
  const { kept, deleted } = await readThings(Date.now());
  changeLibraryFacts({ things: kept, deleted });
}

/** Reads the library anew; what is wrong is among the facts. */
export async function readLibrary(): Promise<void> {
  try {
    await refresh();
  } catch (error) {
    changeLibraryFacts({ things: useCustomize.getState().library.things ?? [], problem: storageSentence(error) });
  }
}

if (channel) channel.onmessage = () => void readLibrary();

/** Does something with the library and tells it, here and in other tabs. Resolves to whether it was done. */
export async function changeLibrary(work: () => Promise<Partial<LibraryFacts>>): Promise<boolean> {
  try {
    const facts = await work();
    await refresh();
    channel?.postMessage("changed");
    changeLibraryFacts({ problem: null, ...facts });
    return true;
  } catch (error) {
    changeLibraryFacts({ problem: storageSentence(error), said: null });
    return false;
  }
}

/** Keeps a thing, as a new version where one of its name is kept. */
export function keepThing(thing: OwnThing, words = "Kept"): Promise<boolean> {
  return changeLibrary(async () => ({ said: `${words}: ${titleOf(thing)}, version ${await addVersion(thing, Date.now())}.` }));
}

export function deleteThing(thing: KeptThing): Promise<boolean> {
  return changeLibrary(async () => {
    await setDeleted(thing, Date.now());
    return { said: null };
  });
}

export function undoDelete(thing: KeptThing): Promise<boolean> {
  return changeLibrary(async () => {
    await setDeleted(thing, null);
    return { said: `${keptTitle(thing)} is back.` };
  });
}

/** Opens a thing in the list; null closes it. */
export function openThing(thing: Pick<OwnThing, "kind" | "name"> | null): void {
  changeLibraryFacts({ open: thing && `${thing.kind}/${thing.name}` });
}

/** What the newest version is called. */
export function keptTitle(thing: KeptThing): string {
  return titleOf({ name: thing.name, content: newestOf(thing).content });
}

export function newestOf({ versions }: KeptThing): KeptVersion {
  return versions.at(-1)!;
}

/** A name for another thing of the kind, like none that is kept. */
export function freeLibraryName(kind: string, wanted: string): string {
  const taken = new Set((useCustomize.getState().library.things ?? []).filter((each) => each.kind === kind).map(({ name }) => name));
  const base = wanted.replace(/\d+$/, "").slice(0, 24) || "mine";
  const { nameForm } = ownKind(kind);
  for (let n = 2; ; n++) if (!taken.has(`${base}${n}`) && nameForm.test(`${base}${n}`)) return `${base}${n}`;
}

/** The name that a fresh thing would like, or another where the library keeps something else under it: the two are no versions of one. */
export function freeOfLibrary(kind: string, wanted: string, content: OwnThing["content"]): string {
  const { things } = useCustomize.getState().library;
  const keptState = keptStateOf(things, { kind, name: wanted, content });
  return keptState.is === "different" ? freeLibraryName(kind, wanted) : wanted;
}

/** How a thing in the form stands to the library. */
export type KeptState =
  | { readonly is: "unknown" }
  | { readonly is: "not kept" }
  | { readonly is: "kept" | "older" | "different"; readonly thing: KeptThing; readonly version: KeptVersion };

export function keptStateOf(things: readonly KeptThing[] | null, given: OwnThing): KeptState {
  if (things === null) return { is: "unknown" };
  const thing = things.find(({ kind, name }) => kind === given.kind && name === given.name);
  if (!thing) return { is: "not kept" };
  const newest = newestOf(thing);
  if (isSameContent(newest.content, given.content)) return { is: "kept", thing, version: newest };
  const older = thing.versions.findLast(({ content }) => isSameContent(content, given.content));
  return older ? { is: "older", thing, version: older } : { is: "different", thing, version: newest };
}

/** Notes a run on the kept versions that it was started with, or took up on its way. Tasks that it does not train are none of it. */
export function noteUses(config: RunConfig, runId: string): Promise<boolean> {
  const used = thingsIn(config).filter(({ kind, name }) => kind !== "task" || name === config.task);
  return changeLibrary(async () => {
    for (const thing of used) await noteUse(thing, { runId, at: Date.now() });
    return {};
  });
}
