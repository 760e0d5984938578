// Makes the renderer that a task asks for, with its tokenizer's files loaded. A checkpoint from elsewhere, whose files are
// not the lab's, brings its own tokenizer and chat template.
import type { SpecialTokenIds } from "../../model/folder/configFile.ts";
import { folderOf, type ModelFolder, textFile, wholeFile } from "../../model/folder/modelFolder.ts";
import { digitsRenderer } from "../../model/renderers/digits.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { hash32 } from "../../rl/data/problems.ts";
import type { RendererKind } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import type { Models } from "../host.ts";
import { CHAT_TEMPLATE, foreignRenderer, readJson } from "./foreignRenderer.ts";

const TOKENIZER = "tokenizers/lab";

/** Files of the tokenizer that an exported model folder holds; the second has the chat template. */
const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"] as const;

type Reader = Pick<Models, "readAsset">;

export type ModelReader = Pick<Models, "readAsset" | "openModel">;

/** The folder of the checkpoint that a run begins with; null where it begins with none. */
export async function checkpointFolder(
  { model, startFrom, checkpoint, backend }: RunConfig,
  host: ModelReader,
): Promise<ModelFolder | null> {
  if (model !== "transformer" || startFrom !== "checkpoint") return null;
  return (await host.openModel?.(checkpoint, backend !== "tinker")) ?? folderOf((name) => host.readAsset(`models/${checkpoint}/${name}`));
}

/** The folder of the lab's own tokenizer. */
const ownFolder = (host: Reader): ModelFolder => folderOf((name) => host.readAsset(`${TOKENIZER}/${name}`));

/** Whether a checkpoint's tokenizer is another than the lab's, which its files alone say. */
async function isForeign(folder: ModelFolder, host: Reader): Promise<boolean> {
  const own = ownFolder(host);
  for (const name of TOKENIZER_FILES) if ((await textFile(folder, name)) !== (await textFile(own, name))) return true;
  return false;
}

/** Where the files of tokenizers from elsewhere lie. */
const folders = new WeakMap<Renderer, ModelFolder>();

/** The renderer of a task whose model has the lab's own tokenizer; throws naming the file that is missing or broken. */
export async function loadRenderer(kind: RendererKind, host: Reader): Promise<Renderer> {
  if (kind === "digits") return digitsRenderer;
  // The tokenizer's library is larger than the rest of the engine; tasks of digits do without it.
  const [{ createTokenizer }, { createChatRenderer }] = await Promise.all([
    import("../../model/renderers/tokenizer.ts"),
    import("../../model/renderers/chat.ts"),
  ]);
  return createChatRenderer(createTokenizer(await readJson(ownFolder(host), "tokenizer.json")));
}

/**
 * The tokenizer.json of a model that the host has by this name, or of the lab's own ("lab"), parsed. Rejects with a
 * sentence where there is none.
 */
export async function tokenizerNamed(name: string, host: ModelReader): Promise<unknown> {
  const folder = name === "lab" ? null : await host.openModel?.(name, false);
  return readJson(folder ?? ownFolder(host), "tokenizer.json");
}

/** The renderer of a run, by its task and its model. */
export async function rendererOf(config: RunConfig, kind: RendererKind, host: ModelReader): Promise<Renderer> {
  const renderer = await loadRenderer(kind, host);
  if (kind === "digits") return renderer;
  const folder = await checkpointFolder(config, host);
  if (folder === null || !(await isForeign(folder, host))) return renderer;
  const foreign = await foreignRenderer(folder);
  folders.set(foreign, folder);
  return foreign;
}

const ids = new WeakMap<Renderer, string>();

/** Names what a renderer's ids stand for: equal where every id does for the same text. */
export function tokenizerId(renderer: Renderer): string {
  const known = ids.get(renderer);
  if (known !== undefined) return known;
  const pieces = Array.from({ length: renderer.vocabularySize }, (_, token) => renderer.piece(token));
  const id = `${pieces.length}-${hash32(pieces.join("\u0000")).toString(16).padStart(8, "0")}`;
  ids.set(renderer, id);
  return id;
}

/** Ids that generation elsewhere needs: what ends a completion, and the tokenizer's padding. */
export function specialIds(kind: RendererKind, renderer: Renderer): SpecialTokenIds {
  const [eos = null, ...others] = renderer.stopTokens;
  return { bos: null, eos: eos !== null && others.length > 0 ? [eos, ...others] : eos, pad: kind === "chat" ? 0 : null };
}

/** The files of a renderer's tokenizer, for an exported folder; none for tasks without text. */
export async function tokenizerFiles(kind: RendererKind, renderer: Renderer, host: Reader): Promise<{ name: string; bytes: Uint8Array }[]> {
  if (kind === "digits") return [];
  const own = folders.get(renderer);
  const folder = own ?? ownFolder(host);
  const files = await Promise.all(TOKENIZER_FILES.map(async (name) => ({ name, bytes: await wholeFile(folder, name) })));
  const template = own && (await wholeFile(own, CHAT_TEMPLATE).catch(() => null));
  return [...files, ...(template ? [{ name: CHAT_TEMPLATE, bytes: template }] : [])];
}
