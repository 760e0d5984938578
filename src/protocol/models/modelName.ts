// How a configuration names a pretrained model (its `checkpoint`): a folder by its name, a model of the Hugging Face hub
// by its owner, name and revision, or, on the command line, a path.
import { InputError } from "../problems.ts";
import { z } from "../zod.ts";

/** What a name names. */
export type ModelName =
  /** A model of the lab's own, one kept in the browser, or a folder of models/. */
  | { readonly kind: "folder"; readonly name: string }
  /** Revision null: whichever is here, or the main one where it is brought. */
  | { readonly kind: "hub"; readonly repository: string; readonly revision: string | null }
  /** A folder, or a GGUF file, of this machine. */
  | { readonly kind: "path"; readonly path: string };

/** What such a name must be, to follow the field's name. */
export const MODEL_NAME_RULE =
  'must be the name of a folder of models/, OWNER/NAME or OWNER/NAME@REVISION of the Hugging Face hub, or a path that begins with "./", "../" or "/"';

/** Throws what a configuration's model is not, or lacks. */
export function refuseModel(message: string): never {
  throw new InputError([{ field: "checkpoint", message: `checkpoint ${message}` }]);
}

/** Longest name there is: the hub allows 96 characters for a model, and a commit has 40. */
export const LONGEST_MODEL_NAME = 200;

const WORD = "[A-Za-z0-9_][\\w.-]*";
const FOLDER = new RegExp(`^${WORD}$`);
const HUB = new RegExp(`^(${WORD}/${WORD})(?:@(${WORD}(?:/${WORD})*))?$`);
const PATH = /^(?:\.{1,2}[/\\]|\/|[A-Za-z]:[/\\])./;

/** Reads a name; null where it is none. */
export function readModelName(text: string): ModelName | null {
  if (text.length > LONGEST_MODEL_NAME) return null;
  if (PATH.test(text)) return { kind: "path", path: text };
  if (FOLDER.test(text)) return { kind: "folder", name: text };
  const [, repository, revision = null] = HUB.exec(text) ?? [];
  return repository === undefined ? null : { kind: "hub", repository, revision };
}

/** Where a model came from, as its folder's source.json keeps it. */
export const modelOriginSchema = z.object({
  /** OWNER/NAME of the hub. */
  repository: z.string(),
  /** The revision that was asked for, such as "main". */
  revision: z.string(),
  /** The commit that it stood for; null where the hub was not asked, as for the same model from a Python package. */
  commit: z.string().nullable(),
  /** As the hub names it, such as "apache-2.0"; null where it says none. */
  licence: z.string().nullable(),
});
/** Where a model came from. */
export type ModelOrigin = z.output<typeof modelOriginSchema>;

/** So many characters of a commit name it. */
const SHORTEST_COMMIT = 7;

/** Whether a model is the one of a name: by its folder, or by where it came from. */
export function isNamed(model: { readonly name: string; readonly source: ModelOrigin | null }, name: ModelName): boolean {
  if (name.kind === "folder") return model.name === name.name;
  if (name.kind === "path" || model.source?.repository !== name.repository) return false;
  const { revision } = name;
  const { revision: asked, commit } = model.source;
  return revision === null || revision === asked || (revision.length >= SHORTEST_COMMIT && commit !== null && commit.startsWith(revision));
}

/** A model and its files. */
export const listedModelSchema = z.object({
  name: z.string(),
  /** Null where nobody knows. */
  source: modelOriginSchema.nullable(),
  files: z.array(z.object({ name: z.string(), bytes: z.number() })),
});

/** A model that is there. */
export type ListedModel = z.output<typeof listedModelSchema>;

/** The lab's own models, which the build brings (public/models): no other may have their names. */
export const OWN_MODELS: readonly string[] = ["agents", "base", "games", "numbers", "puzzles", "reading", "search", "tools", "words"];

/** Rank of the adapters where a run would train all weights, which few machines have the memory for. */
const RANK = 8;

/** The settings of a run that begins with a model, by the name that its configuration gives it. */
export function beginningWith(checkpoint: string, { loraRank }: { readonly loraRank: number }) {
  return { model: "transformer", startFrom: "checkpoint", checkpoint, loraRank: loraRank === 0 ? RANK : loraRank } as const;
}
