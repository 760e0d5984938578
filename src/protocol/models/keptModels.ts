// Models that a browser keeps, and what the page and the worker that keeps them tell each other.
import { z } from "../zod.ts";
import { modelOriginSchema, OWN_MODELS } from "./modelName.ts";

/** A file of a kept model: its content lies under its hash; until it was brought, the beginning of weights may. */
const keptFileSchema = z.object({
  name: z.string(),
  bytes: z.number(),
  /** Null until it was brought. */
  sha256: z.string().nullable(),
  /** What the hub says that it must be: its SHA-256, or the SHA-1 that git has of it; null where it says nothing. */
  promised: z.string().nullable(),
  /** Where the beginning of weights that were not brought yet lies. */
  head: z.string().nullable(),
});
export type KeptFile = z.output<typeof keptFileSchema>;

/** A model as the browser keeps it. */
export const keptModelSchema = z.object({
  name: z.string(),
  source: modelOriginSchema.nullable(),
  files: z.array(keptFileSchema),
  /** Positions that it knows, and weights that it has; null where its configuration does not say. */
  context: z.number().nullable(),
  parameters: z.number().nullable(),
});
export type KeptModel = z.output<typeof keptModelSchema>;

/** Whether all of a model is there. */
export const isWhole = ({ files }: KeptModel): boolean => files.every(({ sha256 }) => sha256 !== null);
/** Bytes of a model's files. */
export const sizeOfModel = ({ files }: Pick<KeptModel, "files">): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** A name that no other model has. */
export function freeName(wanted: string, models: readonly KeptModel[]): string {
  const plain =
    wanted
      .toLowerCase()
      .replace(/\.gguf$/, "")
      .replace(/[^\w.-]+/g, "-")
      .replace(/^[^a-z0-9_]+/, "") || "model";
  const isTaken = (name: string) => OWN_MODELS.includes(name) || models.some((model) => model.name === name);
  for (let i = 1; ; i++) {
    const name = i === 1 ? plain : `${plain}-${i}`;
    if (!isTaken(name)) return name;
  }
}

/** What the page asks. */
export type ModelRequest =
  | { readonly type: "list" }
  /** Asks the hub what a model is, and brings what is small of it. */
  | { readonly type: "announce"; readonly repository: string; readonly revision: string | null }
  /** Brings what is missing of a model. */
  | { readonly type: "bring"; readonly name: string }
  | { readonly type: "cancel" }
  /** Keeps files of this machine; the name is that of a file or a folder. */
  | { readonly type: "take"; readonly name: string; readonly files: readonly File[] }
  | { readonly type: "remove"; readonly name: string };

/** What the worker tells: the models after each request, how far one is that is brought, and why one failed. */
export type ModelReply =
  | { readonly type: "models"; readonly models: readonly KeptModel[]; readonly free: number | null; readonly named?: string }
  | { readonly type: "progress"; readonly name: string; readonly done: number; readonly total: number }
  | { readonly type: "failed"; readonly message: string; readonly isCancelled: boolean };
