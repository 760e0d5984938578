// Text to token ids and back through the Hugging Face tokenizer library. The encoder knows no marks,
// since anybody may have written its text; marks are ids that only the renderer places. So "<|im_end|>" typed into a message stays eleven characters of text.
import { env, PreTrainedTokenizer } from "@xenova/transformers";

env.allowRemoteModels = false;
env.useBrowserCache = false;

/** A mark with an id of its own. */
export interface Mark {
  readonly id: number;
  readonly content: string;
  /** Structure of the conversation; never part of what somebody says. */
  readonly special: boolean;
}

/** From text to ids and back. */
export interface Tokenizer {
  /** Number of ids, marks included. */
  readonly vocabularySize: number;
  readonly marks: readonly Mark[];
  /** Id of a mark; throws for a text that is no mark. */
  markId(content: string): number;
  /** Ids of plain text; never the id of a mark, whatever the text. Unpaired surrogates become U+FFFD. */
  encodePlain(text: string): readonly number[];
  /** UTF-8 bytes a token stands for; a mark stands for its own text, an unknown id for nothing. */
  bytesOf(token: number): Uint8Array;
}

interface TokenizerFile {
  readonly added_tokens: readonly Mark[];
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
}

/** The parts of tokenizer.json this module reads; throws naming what is missing. */
function checkFile(json: unknown): TokenizerFile {
  const file = json as Partial<TokenizerFile> | null;
  if (typeof file !== "object" || file === null || !Array.isArray(file.added_tokens))
    throw new Error("tokenizer.json must have added_tokens");
  if (typeof file.model?.vocab !== "object") throw new Error("tokenizer.json must have model.vocab");
  return file as TokenizerFile;
}

function bytesTable({ added_tokens, model }: TokenizerFile): readonly Uint8Array[] {
  const ids = [...Object.values(model.vocab), ...added_tokens.map(({ id }) => id)];
  const table: Uint8Array[] = Array.from({ length: Math.max(...ids) + 1 }, () => new Uint8Array(0));
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
  const marks = file.added_tokens.map(({ id, content, special }) => ({ id, content, special }));
  const idOf = new Map(marks.map(({ id, content }) => [content, id]));
  const plain = new PreTrainedTokenizer({ ...file, added_tokens: [] }, { clean_up_tokenization_spaces: false });
  const nothing = new Uint8Array(0);
  return {
    vocabularySize: bytes_V.length,
    marks,
    markId(content) {
      const id = idOf.get(content);
      if (id === undefined) throw new Error(`unknown mark ${JSON.stringify(content)}, choose from ${[...idOf.keys()].join(", ")}`);
      return id;
    },
    encodePlain: (text) => plain.encode(text, { add_special_tokens: false }),
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
