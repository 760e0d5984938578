// Makes the renderer that a task asks for, with its tokenizer's files loaded.
import type { SpecialTokenIds } from "../../model/folder/configFile.ts";
import { digitsRenderer } from "../../model/renderers/digits.ts";
import { hash32 } from "../../rl/data/problems.ts";
import type { RendererKind } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import type { Host } from "../host.ts";

const TOKENIZER = "tokenizers/lab";

/** Files of the tokenizer that an exported model folder holds; the second has the chat template. */
const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"] as const;

async function readJson(host: Pick<Host, "readAsset">, path: string): Promise<unknown> {
  const text = new TextDecoder().decode(await host.readAsset(path));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON`, { cause: error });
  }
}

/** Loads a renderer; throws naming the file that is missing or broken. */
export async function loadRenderer(kind: RendererKind, host: Pick<Host, "readAsset">): Promise<Renderer> {
  if (kind === "digits") return digitsRenderer;
  // The tokenizer's library is larger than the rest of the engine; tasks of digits do without it.
  const [{ createTokenizer }, { createChatRenderer }] = await Promise.all([
    import("../../model/renderers/tokenizer.ts"),
    import("../../model/renderers/chat.ts"),
  ]);
  return createChatRenderer(createTokenizer(await readJson(host, `${TOKENIZER}/tokenizer.json`)));
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

/** The tokenizer's files, for an exported folder; none for tasks without text. */
export async function tokenizerFiles(kind: RendererKind, host: Host): Promise<{ name: string; bytes: Uint8Array }[]> {
  if (kind === "digits") return [];
  return Promise.all(TOKENIZER_FILES.map(async (name) => ({ name, bytes: await host.readAsset(`${TOKENIZER}/${name}`) })));
}
