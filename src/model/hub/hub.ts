// A model of the Hugging Face hub, or of a server that answers as it does: what it is, which of its files are wanted,
// and where they lie. Only plain GETs without headers of our own are sent from a page, since the hosts that files are sent
// on to allow no others.
import { isRecord, showValue } from "../../protocol/problems.ts";

/** How the hub is reached. */
export interface HubAccess {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly sleep: (ms: number) => Promise<void>;
  /** Its address, without a slash at the end. */
  readonly base: string;
  /** What is sent along, such as a key. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file of a model. */
export interface HubFile {
  readonly name: string;
  readonly bytes: number;
  /** Null where the hub does not say, as of small files. */
  readonly sha256: string | null;
  /** The name that git gives a small file's content, where the hub says it. */
  readonly blob?: string;
}

/** What the hub says of a model, and the files of it that are wanted. */
export interface HubModel {
  readonly repository: string;
  readonly revision: string;
  readonly commit: string;
  readonly licence: string | null;
  readonly files: readonly HubFile[];
}

/** An answer that trying again does not mend. */
export class Denied extends Error {}

/** What an answer that brings nothing means, for a model. */
function denial(what: string, { status, statusText }: Response): string {
  // To whoever has no key the hub does not say what is private and what is not there.
  if (status === 401)
    return `${what} may not be read without a key (401): there is none of that name, it is private, or its terms must be accepted on the hub first`;
  if (status === 403) return `${what} may not be read without a key (403): it is private, or its terms must be accepted on the hub first`;
  if (status === 404) return `${what} is not there (404): check owner, name and revision`;
  if (status === 429) return `${what} was asked for too often (429): try again in some minutes`;
  return `${what} cannot be read: the server answered ${status}${statusText ? ` ${statusText}` : ""}`;
}

/** Whether another try may bring what an answer did not. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Where a file of a model lies. */
export function fileAddress(base: string, { repository, commit }: Pick<HubModel, "repository" | "commit">, name: string): string {
  return `${base}/${repository}/resolve/${encodeURIComponent(commit)}/${name.split("/").map(encodeURIComponent).join("/")}`;
}

const WANTED: ReadonlySet<string> = new Set([
  ...["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja"],
]);
const WEIGHTS = /^model(?:-\d+-of-\d+)?\.safetensors$/;

/** The files that are wanted of all that there are. Throws a sentence where there is nothing to begin with. */
function wantedFiles(repository: string, all: readonly HubFile[]): readonly HubFile[] {
  const has = (name: string) => all.some((file) => file.name === name);
  if (!has("config.json") || !has("tokenizer.json")) {
    const isGguf = all.some(({ name }) => name.endsWith(".gguf"));
    throw new Denied(
      `${repository} has no ${has("config.json") ? "tokenizer.json" : "config.json"}${isGguf ? ": download one of its GGUF files and drop it on the page" : ""}`,
    );
  }
  const weights = has("model.safetensors")
    ? all.filter(({ name }) => name === "model.safetensors")
    : all.filter(({ name }) => name === "model.safetensors.index.json" || WEIGHTS.test(name));
  if (weights.length === 0) throw new Denied(`${repository} has no weights in safetensors (model.safetensors)`);
  return [...all.filter(({ name }) => WANTED.has(name)), ...weights];
}

function fileOf(entry: unknown): HubFile | null {
  if (!isRecord(entry) || typeof entry.rfilename !== "string" || typeof entry.size !== "number") return null;
  const { lfs, blobId } = entry;
  const file = { name: entry.rfilename, bytes: entry.size };
  // Of a large file git has a pointer alone.
  if (isRecord(lfs)) return { ...file, sha256: typeof lfs.sha256 === "string" ? lfs.sha256 : null };
  return { ...file, sha256: null, ...(typeof blobId === "string" ? { blob: blobId } : {}) };
}

const TRIES = 4;
const FIRST_PAUSE_MS = 500;

/** What the network says of a request that came to nothing: Node keeps it beside an error that says "fetch failed". */
function whyNot(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const said = cause instanceof Error ? cause.message : error instanceof Error ? error.message : "";
  return said === "" ? "" : `: ${said}`;
}

/** An answer that brings something; tries again where that may help. Throws a sentence. */
export async function answerOf(access: HubAccess, url: string, what: string, init: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const reason = await access.fetch(url, { ...init, headers: { ...access.headers, ...init.headers } }).then(
      (response) => (response.ok ? response : new Denied(denial(what, response), { cause: isPassing(response.status) })),
      (error: unknown) =>
        init.signal?.aborted
          ? Promise.reject(error)
          : new Error(`${what} cannot be reached at ${access.base}${whyNot(error)}`, { cause: true }),
    );
    if (reason instanceof Response) return reason;
    if (reason.cause !== true || attempt === TRIES) throw reason;
    await access.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
  }
}

/** Asks the hub what a model is. Throws a sentence where it has none of that name, or none that can be begun with. */
export async function describeHubModel(access: HubAccess, repository: string, revision: string): Promise<HubModel> {
  const url = `${access.base}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const said: unknown = await (await answerOf(access, url, `${repository}@${revision}`)).json().catch(() => null);
  if (!isRecord(said) || typeof said.sha !== "string" || !Array.isArray(said.siblings))
    throw new Denied(`${access.base} did not say what ${repository} is, got ${showValue(said)}`);
  const card = isRecord(said.cardData) ? said.cardData : {};
  const licence = typeof card.license === "string" ? card.license : null;
  const files = wantedFiles(
    repository,
    said.siblings.flatMap((entry) => fileOf(entry) ?? []),
  );
  return { repository, revision, commit: said.sha, licence, files };
}
