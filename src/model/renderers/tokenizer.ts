// Text to token ids and back through the Hugging Face tokenizer library. The encoder knows no marks,
// since anybody may have written its text; marks are ids that only the renderer places. So "<|im_end|>" typed into a
// message stays eleven characters of text.
import { env, PreTrainedTokenizer } from "@xenova/transformers";
import { isRecord, showValue } from "../../protocol/problems.ts";
import { piecesBy } from "./preTokenizer.ts";

env.allowRemoteModels = false;
env.useBrowserCache = false;

/** A mark with an id of its own. */
export interface Mark {
  readonly id: number;
  readonly content: string;
  /** Structure of the conversation; never part of what somebody says. */
  readonly special: boolean;
  /** Whether it takes the white space before it, or behind it, with it. */
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  /** Whether it is none beside a letter. */
  readonly single_word?: boolean;
}

/** From text to ids and back. */
export interface Tokenizer {
  /** Number of ids, marks included. */
  readonly vocabularySize: number;
  readonly marks: readonly Mark[];
  /** Id of a mark; throws for a text that is no mark. */
  markId(content: string): number;
  /** Id of a token by its text in the file, a mark or an entry of the vocabulary; throws where there is none. */
  idOf(content: string): number;
  /** Ids of plain text; never the id of a mark, whatever the text. Unpaired surrogates become U+FFFD. */
  encodePlain(text: string): readonly number[];
  /** UTF-8 bytes a token stands for; a mark stands for its own text, an unknown id for nothing. */
  bytesOf(token: number): Uint8Array;
}

interface TokenizerFile extends Readonly<Record<string, unknown>> {
  readonly added_tokens: readonly Mark[];
  readonly model: Readonly<Record<string, unknown>> & { readonly vocab: Readonly<Record<string, number>> };
}

/** Settings of byte pairs that change what is merged, where they ask for it. */
const NOT_MERGED = ["dropout", "continuing_subword_prefix", "end_of_word_suffix"] as const;

/** An empty mark would be found everywhere, without an end. */
const isMark = (each: unknown) => isRecord(each) && typeof each.id === "number" && typeof each.content === "string" && each.content !== "";
const isPair = (each: unknown) => Array.isArray(each) && each.length === 2 && each.every((part) => typeof part === "string");

/** The parts of tokenizer.json this module reads; throws naming what is missing. */
function checkFile(json: unknown): TokenizerFile {
  const file = json as Partial<TokenizerFile> | null;
  if (typeof file !== "object" || file === null || !Array.isArray(file.added_tokens))
    throw new Error("tokenizer.json must have added_tokens");
  if (!isRecord(file.model?.vocab)) throw new Error("tokenizer.json must have model.vocab");
  const odd = file.added_tokens.findIndex((each: unknown) => !isMark(each));
  if (odd >= 0)
    throw new Error(
      `tokenizer.json: added_tokens.${odd} must have an id and a content that is not empty, got ${showValue(file.added_tokens[odd])}`,
    );
  if ((file.model.type ?? "BPE") !== "BPE") throw new Error(`tokenizer.json: model.type must be "BPE", got ${showValue(file.model.type)}`);
  const { merges } = file.model;
  if (!Array.isArray(merges) || !(merges.every((each) => typeof each === "string") || merges.every(isPair)))
    throw new Error(`tokenizer.json: model.merges must be a list of texts or of pairs of them, got ${showValue(merges)}`);
  for (const key of NOT_MERGED)
    if (file.model[key]) throw new Error(`tokenizer.json: model.${key} must be left out, got ${showValue(file.model[key])}`);
  return file as TokenizerFile;
}

/**
 * Spells bytes as the vocabulary does. One that it lacks is dropped as `tokenizers` does it; where it would become an
 * unknown token, the file is refused.
 */
function spellingBy({ model: { vocab, unk_token } }: TokenizerFile): (bytes: Uint8Array) => string {
  const lacking = BYTE_CHARACTERS.filter((char) => !Object.hasOwn(vocab, char));
  if (lacking.length === 0) return spellingOfBytes;
  if (unk_token) throw new Error(`tokenizer.json: model.vocab must have a token for each byte, lacks ${lacking.length} of them`);
  return (bytes) => Array.from(spellingOfBytes(bytes), (char) => (Object.hasOwn(vocab, char) ? char : "")).join("");
}

/** Pieces come to the library with what no spelling holds between them, and only their pairs are merged there. */
const BETWEEN = "\n";
const ONLY_MERGES = {
  added_tokens: [],
  normalizer: null,
  post_processor: null,
  pre_tokenizer: { type: "Split", pattern: { Regex: BETWEEN }, behavior: "Removed", invert: false },
};

/** No model has more: a table is made with a place for each id. */
const MOST_TOKENS = 2 ** 22;

function bytesTable({ added_tokens, model }: TokenizerFile): readonly Uint8Array[] {
  const ids = [...Object.values(model.vocab), ...added_tokens.map(({ id }) => id)];
  const wrong = ids.find((id) => !Number.isInteger(id) || id < 0 || id > MOST_TOKENS);
  if (wrong !== undefined) throw new Error(`tokenizer.json: ids must be whole numbers from 0 to ${MOST_TOKENS}, got ${showValue(wrong)}`);
  const length = ids.reduce((most, id) => Math.max(most, id + 1), 0);
  const table: Uint8Array[] = Array.from({ length }, () => new Uint8Array(0));
  const encoder = new TextEncoder();
  const markIds = new Set(added_tokens.map(({ id }) => id));
  for (const [spelling, id] of Object.entries(model.vocab)) if (!markIds.has(id)) table[id] = bytesOfSpelling(spelling);
  for (const { id, content } of added_tokens) table[id] = encoder.encode(content);
  return table;
}

/** A tokenizer from the parsed tokenizer.json of a byte-level BPE. */
export function createTokenizer(json: unknown): Tokenizer {
  const file = checkFile(json);
  const bytes_V = bytesTable(file);
  const marks = file.added_tokens;
  const idOf = new Map(marks.map(({ id, content }) => [content, id]));
  const pieces = piecesBy(file, spellingBy(file));
  const merged = new PreTrainedTokenizer({ ...file, ...ONLY_MERGES }, { clean_up_tokenization_spaces: false });
  const nothing = new Uint8Array(0);
  return {
    vocabularySize: bytes_V.length,
    marks,
    markId(content) {
      const id = idOf.get(content);
      if (id === undefined) throw new Error(`unknown mark ${JSON.stringify(content)}, choose from ${[...idOf.keys()].join(", ")}`);
      return id;
    },
    idOf(content) {
      const id = idOf.get(content) ?? (Object.hasOwn(file.model.vocab, content) ? file.model.vocab[content] : undefined);
      if (id === undefined)
        throw new Error(`tokenizer.json must have the token ${JSON.stringify(content)} that tokenizer_config.json names`);
      return id;
    },
    encodePlain: (text) => merged.encode(pieces(text).join(BETWEEN), { add_special_tokens: false }),
    bytesOf: (token) => bytes_V[token] ?? nothing,
  };
}

/**
 * Byte-level BPE spells each byte as one printable character, so that vocabularies are readable text. The table is
 * GPT-2's: printable Latin-1 characters stand for themselves, the rest for U+0100 and up.
 */
function buildByteCharacters(): readonly string[] {
  const isPrintable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let shifted = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : shifted++));
}

/** The character that spells each byte. */
export const BYTE_CHARACTERS: readonly string[] = buildByteCharacters();

const BYTE_OF = new Map(BYTE_CHARACTERS.map((char, byte) => [char, byte]));

/** The bytes that a vocabulary entry spells; throws for a character outside the table. */
export function bytesOfSpelling(spelling: string): Uint8Array {
  return Uint8Array.from([...spelling], (char) => {
    const byte = BYTE_OF.get(char);
    if (byte === undefined)
      throw new Error(`${JSON.stringify(char)} does not spell a byte in the vocabulary entry ${JSON.stringify(spelling)}`);
    return byte;
  });
}

/** How a vocabulary spells these bytes. */
export function spellingOfBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BYTE_CHARACTERS[byte]).join("");
}
