// A tokenizer for ids that no text stands beside: one that is named, or whose file lies among the rollouts.
import { errorText, orThrow } from "../../protocol/problems.ts";
import { TraceError } from "../containers/container.ts";
import { readText, textOf } from "../containers/jsonText.ts";
import type { Decoder } from "../rollout.ts";
import type { TraceFile } from "../traceSet.ts";

/** Tokenizers are smaller. */
const MOST_BYTES = 2 ** 27;

/** What decodes ids; null where no tokenizer is named or there. Rejects with a sentence where one is that cannot be read. */
export async function decoderOf(
  file: TraceFile | null,
  name: string | undefined,
  open: ((name: string) => Promise<unknown>) | undefined,
): Promise<Decoder> {
  if (name === undefined && file === null) return null;
  if (name !== undefined && !open)
    throw new TraceError(`a tokenizer cannot be named here, got ${JSON.stringify(name)}: bring its tokenizer.json along`);
  if (name === undefined && file && file.size > MOST_BYTES)
    throw new TraceError(`${file.path} must have at most ${MOST_BYTES / 2 ** 20} MB`);
  const json = name !== undefined && open ? await open(name) : file && readText(textOf(await file.read(0, file.size)));
  // The tokenizer's library is larger than the rest of the readers.
  const [{ createTokenizer }, { pieceOf, textOf: textOfIds }] = await Promise.all([
    import("../../model/renderers/tokenizer.ts"),
    import("../../model/renderers/segments.ts"),
  ]);
  const tokenizer = orThrow(
    () => createTokenizer(json),
    (error) => new TraceError(`the tokenizer cannot be read: ${errorText(error)}`),
  );
  return { piece: pieceOf(tokenizer), text: textOfIds(tokenizer) };
}
