// Makes the renderer that a task asks for, with its tokenizer's files loaded. A checkpoint from elsewhere, whose
// vocabulary is not the lab's, brings its own tokenizer and chat template.
import { readModelConfig, type SpecialTokenIds } from "../../model/folder/configFile.ts";
import { folderOf, type ModelFolder, textFile, wholeFile } from "../../model/folder/modelFolder.ts";
import { digitsRenderer } from "../../model/renderers/digits.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { InputError, isRecord } from "../../protocol/problems.ts";
import { hash32 } from "../../rl/data/problems.ts";
import type { RendererKind } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import type { Host } from "../host.ts";

const TOKENIZER = "tokenizers/lab";

/** Files of the tokenizer that an exported model folder holds; the second has the chat template. */
const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"] as const;

async function readJson(folder: ModelFolder, name: string): Promise<unknown> {
  const text = await textFile(folder, name);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON`, { cause: error });
  }
}

type Reader = Pick<Host, "readAsset">;

/** What opens models. */
export type ModelReader = Pick<Host, "readAsset" | "openModel">;

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

/** Whether a checkpoint has a vocabulary of its own. */
async function isForeign(folder: ModelFolder, { vocabularySize }: Renderer): Promise<boolean> {
  const given = await readJson(folder, "config.json");
  // A model on a server may be of any kind; how many tokens it has is said alike in all of them.
  const size =
    isRecord(given) && typeof given.vocab_size === "number"
      ? given.vocab_size
      : readModelConfig(await textFile(folder, "config.json")).vocabularySize;
  return size !== vocabularySize;
}

/** A mark as tokenizer_config.json names it: its text, or an object that has it. */
const contentOf = (given: unknown): unknown => (isRecord(given) ? given.content : given);

async function foreignRenderer(folder: ModelFolder): Promise<Renderer> {
  const [{ createTokenizer }, { createTemplateRenderer }, json, settings] = await Promise.all([
    import("../../model/renderers/tokenizer.ts"),
    import("../../model/renderers/template.ts"),
    readJson(folder, "tokenizer.json"),
    readJson(folder, "tokenizer_config.json"),
  ]);
  const tokenizer = createTokenizer(json);
  const { chat_template: inside, eos_token, bos_token } = isRecord(settings) ? settings : {};
  // Newer folders have the template in a file of its own, which then counts.
  const source = (await textFile(folder, CHAT_TEMPLATE).catch(() => null)) ?? inside;
  const [eos, bos] = [contentOf(eos_token), contentOf(bos_token)];
  if (typeof source !== "string" || typeof eos !== "string") {
    const message = `checkpoint must be a model that can chat: its tokenizer_config.json must have a chat_template, or ${CHAT_TEMPLATE} be there, and an eos_token`;
    throw new InputError([{ field: "checkpoint", message }]);
  }
  const ends = [...new Set([eos, ...tokenizer.marks.map(({ content }) => content).filter((content) => content === END_OF_TEXT)])];
  const names = { eos_token: eos, bos_token: typeof bos === "string" ? bos : "" };
  const renderer = createTemplateRenderer(tokenizer, { source, ends, names });
  folders.set(renderer, folder);
  return renderer;
}

/** The file of a template that lies beside the tokenizer. */
const CHAT_TEMPLATE = "chat_template.jinja";

/** What many models end a text with beside a turn. */
const END_OF_TEXT = "<|endoftext|>";

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

/** The renderer of a run, by its task and its model. */
export async function rendererOf(config: RunConfig, kind: RendererKind, host: ModelReader): Promise<Renderer> {
  const renderer = await loadRenderer(kind, host);
  if (kind === "digits") return renderer;
  const folder = await checkpointFolder(config, host);
  return folder !== null && (await isForeign(folder, renderer)) ? foreignRenderer(folder) : renderer;
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
  return { bos: null, eos: renderer.stopTokens[0] ?? null, pad: kind === "chat" ? 0 : null };
}

/** The files of a renderer's tokenizer, for an exported folder; none for tasks without text. */
export async function tokenizerFiles(kind: RendererKind, renderer: Renderer, host: Host): Promise<{ name: string; bytes: Uint8Array }[]> {
  if (kind === "digits") return [];
  const own = folders.get(renderer);
  const folder = own ?? ownFolder(host);
  const files = await Promise.all(TOKENIZER_FILES.map(async (name) => ({ name, bytes: await wholeFile(folder, name) })));
  const template = own && (await wholeFile(own, CHAT_TEMPLATE).catch(() => null));
  return [...files, ...(template ? [{ name: CHAT_TEMPLATE, bytes: template }] : [])];
}
