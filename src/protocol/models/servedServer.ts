// A model on a server, as far as it is known here: what its tokenizer is read from, and the server of models that the
// page's own server passes requests on to, as it tells the page: what people call it and what it has.
import { z } from "../zod.ts";
import { type ModelName, readModelName } from "./modelName.ts";

const servedServerSchema = z.object({
  /** Its address without anything secret. */
  name: z.string().min(1),
  /** As it calls them; `maxContext` is null where it does not say how many tokens they take. */
  models: z.array(z.object({ name: z.string().min(1), maxContext: z.int().positive().nullable() })),
  /** Why the models are not known; null where they are. */
  problem: z.string().nullable(),
});
export type ServedServer = z.output<typeof servedServerSchema>;

/** An answer of the page's own server, as far as it is read here. */
interface Answer {
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}

/** The server in the answer to a request for tinker/served.json; null where the page's own server passes nothing on. */
export async function readServedServer(answer: Answer | null): Promise<ServedServer | null> {
  // A server that serves files alone may answer any address with the page.
  const isList = answer?.ok && answer.headers.get("content-type")?.startsWith("application/json");
  return isList ? (servedServerSchema.safeParse(await answer.json()).data ?? null) : null;
}

export const lastPart = (path: string): string => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;

/** What a configuration calls a model of a server: the hub's name, or the last part of the folder that the server was started with. */
export function checkpointOnServer(name: string): string {
  return readModelName(name)?.kind === "hub" ? name : lastPart(name);
}

/** A model of the hub. */
export type HubName = Extract<ModelName, { readonly kind: "hub" }>;

/** What is read of a model whose weights are on a server; the server has no more of it than ids. */
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json"] as const;
/** The file of a chat template, which many models have in tokenizer_config.json instead, and that of further end tokens. */
const MAY_LACK = ["chat_template.jinja", "generation_config.json"] as const;

/** A file of a tokenizer and where it lies. */
export interface TokenizerFile {
  readonly name: string;
  readonly url: string;
  /** Whether a model may be without it: the hub answers 404 then. */
  readonly mayLack: boolean;
}

/** The files of a model's tokenizer. @param hub its address, without a slash at the end */
export function tokenizerAddresses({ repository, revision }: HubName, hub: string): readonly TokenizerFile[] {
  const folder = `${hub}/${repository}/resolve/${encodeURIComponent(revision ?? "main")}`;
  return [
    ...FILES.map((name) => ({ name, url: `${folder}/${name}`, mayLack: false })),
    ...MAY_LACK.map((name) => ({ name, url: `${folder}/${name}`, mayLack: true })),
  ];
}

/** Where a page keeps them: the browser's cache of that name, under their addresses. */
export const TOKENIZER_CACHE = "rollout-lab-tokenizers";

/** What to say where a tokenizer is not here. */
export const noTokenizer = (given: string): string =>
  `must be a model whose tokenizer this browser has, got ${given}: choose it once more beside the backend "On a server", which brings it`;
