// The renderer of a checkpoint from elsewhere, made of the files that its folder has: tokenizer, chat template, and all
// that transformers takes to end a turn.
import { type ModelFolder, textFile } from "../../model/folder/modelFolder.ts";
import { InputError, isRecord, parsedJson, showValue } from "../../protocol/problems.ts";
import type { Renderer } from "../../rl/types.ts";

/** The file of a template that lies beside the tokenizer, as newer folders have it; it then counts. */
export const CHAT_TEMPLATE = "chat_template.jinja";

/** Marks that transformers hands to a template under these names, where a tokenizer has them. */
const NAMED_MARKS = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"] as const;

/** A file of a folder as JSON. Throws a sentence where it is missing or none. */
export async function readJson(folder: ModelFolder, name: string): Promise<unknown> {
  const text = await textFile(folder, name);
  return parsedJson(text, (cause) => new Error(`${name} is not JSON`, { cause }));
}

const isMissing = () => null;

/** A mark as tokenizer_config.json names it: its text, or an object that has it. */
const contentOf = (given: unknown): unknown => (isRecord(given) ? given.content : given);

function marksOf(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const named = NAMED_MARKS.map((name) => [name, contentOf(settings[name])] as const);
  return Object.fromEntries(named.filter((pair): pair is readonly [(typeof NAMED_MARKS)[number], string] => typeof pair[1] === "string"));
}

/** The ids that a file says end a text: one, several or none. */
function endsIn(file: unknown, name: string): readonly number[] {
  const given = isRecord(file) ? file.eos_token_id : null;
  const ids: readonly unknown[] = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given];
  return ids.map((id) => {
    if (Number.isInteger(id) && (id as number) >= 0) return id as number;
    throw new Error(`${name}: eos_token_id must be ids of tokens, got ${showValue(given)}`);
  });
}

/** A renderer by the tokenizer and the chat template of a folder. Throws a sentence with the file and what is wrong in it. */
export async function foreignRenderer(folder: ModelFolder): Promise<Renderer> {
  const [{ createTokenizer }, { createTemplateRenderer }, json, settings, config, generation, template] = await Promise.all([
    import("../../model/renderers/tokenizer.ts"),
    import("../../model/renderers/template.ts"),
    readJson(folder, "tokenizer.json"),
    readJson(folder, "tokenizer_config.json"),
    readJson(folder, "config.json"),
    folder.open("generation_config.json").then(() => readJson(folder, "generation_config.json"), isMissing),
    textFile(folder, CHAT_TEMPLATE).catch(isMissing),
  ]);
  const given = isRecord(settings) ? settings : {};
  const names = marksOf(given);
  const source = template ?? given.chat_template;
  if (typeof source !== "string" || names.eos_token === undefined) {
    const message = `checkpoint must be a model that can chat: its tokenizer_config.json must have a chat_template, or ${CHAT_TEMPLATE} be there, and an eos_token`;
    throw new InputError([{ field: "checkpoint", message }]);
  }
  const tokenizer = createTokenizer(json);
  const ends = [tokenizer.idOf(names.eos_token), ...endsIn(generation, "generation_config.json"), ...endsIn(config, "config.json")];
  return createTemplateRenderer(tokenizer, { source, names, ends });
}
