// A kept thing to hand on: as one file with its data, or as a link that puts it into the form where it is opened.
import type { CustomTaskInput } from "../../../../protocol/custom/customTasks.ts";
import { isOwnFile, ownFileText, readOwnFile } from "../../../../protocol/custom/ownFile.ts";
import { dataOf, type OwnThing, readOwnThing, titleOf } from "../../../../protocol/custom/ownThings.ts";
import { errorText } from "../../../../protocol/problems.ts";
import { goTo, hashOf, placeQuery } from "../../../engine/route.ts";
import { presetOf } from "../../../engine/store/draft/draftConfig.ts";
import { draftQuery } from "../../../engine/store/draft/draftQuery.ts";
import { withReward } from "../../../engine/store/draft/rewardDraft.ts";
import { catalogNow } from "../../../engine/store/useRunView.ts";
import { nameOf, saveFile } from "../../../kit/files.ts";
import { MOST_LINK } from "../../../runs/replay/replayLink.ts";
import { changeLibraryFacts, useCustomize } from "../customizeStore.ts";
import { keepContent, readContent } from "../data/dataStore.ts";
import { freeName } from "../reward/ownRewards.ts";
import { withTaskTaken } from "./formThings.ts";
import { keepThing } from "./libraryStore.ts";

/** Downloads a thing as one file. Rejects with a sentence where its data is not here. */
export async function saveThing(thing: OwnThing): Promise<void> {
  const named = dataOf(thing);
  const data = named && (await readContent(named.sha256));
  if (named && data === null) throw new Error(`the data ${named.name} is no longer in this browser: bring its file again`);
  saveFile(`${thing.name}.ts`, new Blob([ownFileText({ thing, data })], { type: "text/plain" }));
}

/** The link that puts a thing into the form. Throws a sentence where it is too long. */
export function thingLink(thing: OwnThing): string {
  const catalog = catalogNow();
  const blank = { presetId: presetOf(catalog, "").id, edits: {} };
  const draft =
    thing.kind === "task"
      ? withTaskTaken(catalog, blank, thing)
      : withReward(catalog, blank, "customRewards", thing.name, thing.content as never);
  const section = thing.kind === "reward" ? "reward" : "environment" in thing.content ? "environment" : "data";
  const hash = hashOf("customize", new URLSearchParams([...placeQuery("customize", { section }), ...draftQuery(catalog, draft)]));
  const data = dataOf(thing);
  if (data) throw new Error(`a link does not hold the data ${data.name}: save it as a file and share the file`);
  if (hash.length > MOST_LINK)
    throw new Error(
      `the link would have ${hash.length} letters, and ${MOST_LINK} is the most that is passed on whole: save it as a file and share the file`,
    );
  return new URL(hash, window.location.href).href;
}

/** What a file without a comment of the lab is: code of an environment where it exports what one has, else a reward. */
function plainThing(source: string, fileName: string): OwnThing {
  const title = fileName.replace(/\.[^.]*$/, "").slice(0, 60) || "Mine";
  const name = freeName(title, []);
  const isEnvironment = /export\s+(const|let|function|async function)\s+(step|draw|tools|start)\b/.test(source);
  if (!isEnvironment) return readOwnThing("reward", name, { title, source });
  return readOwnThing("task", name, { title, environment: { source } });
}

/** Reads a file of somebody's own, its data kept. Rejects with a sentence. */
export async function openOwnFile(fileName: string, text: string): Promise<OwnThing> {
  try {
    const read = isOwnFile(text) ? readOwnFile(text) : null;
    if (read?.data) await keepContent(read.data, read.thing.content as CustomTaskInput);
    return read?.thing ?? plainThing(text, fileName);
  } catch (error) {
    throw new Error(`${fileName}: ${errorText(error)}`);
  }
}

/** Brings files into the library; what is wrong with one is said and the others come. */
export async function bringOwn(files: readonly { readonly path: string; read(): Promise<Uint8Array> }[]): Promise<void> {
  const [titles, problems]: [string[], string[]] = [[], []];
  for (const file of files) {
    const name = nameOf(file.path);
    try {
      const thing = await openOwnFile(name, new TextDecoder().decode(await file.read()));
      if (await keepThing(thing)) titles.push(titleOf(thing));
      else problems.push(useCustomize.getState().library.problem ?? "");
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  changeLibraryFacts({
    ...(titles.length > 0 ? { said: `Brought into your library: ${titles.join(", ")}. Its code runs only when you allow it.` } : {}),
    problem: problems.length > 0 ? problems.join("; ") : null,
  });
}

/** Brings what was dropped on the page, and shows the library. */
export async function bringDropped(files: Parameters<typeof bringOwn>[0]): Promise<void> {
  await bringOwn(files);
  goTo("customize", { section: "library" });
}
