// A server that answers as the Hugging Face hub does, and as networks do: it sends weights on to another address, knows
// ranges or not, cuts off, is busy, or wants a key.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HubBehaviour {
  /** Statuses answered before files come, one for each request. */
  busy?: number[];
  /** Cuts so many answers off after so many bytes each. */
  cuts?: { times: number; bytes: number };
  /** Answers a range with the whole file. */
  knowsNoRanges?: boolean;
  /** Files that it says the model has, where those that it sends are others. */
  promises?: ReadonlyMap<string, Uint8Array>;
  /** Answers everything so. */
  denies?: number;
  /** What a network between answers in the place of files with these names, so often, and the form it says that has. */
  portal?: { times: number; body: string; type?: string; names: RegExp };
}

export interface HubServer {
  readonly base: string;
  readonly asked: {
    readonly path: string;
    readonly method: string;
    readonly range: string | undefined;
    readonly key: string | undefined;
  }[];
  behaviour: HubBehaviour;
  close(): Promise<void>;
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** The name that git gives a content. */
const blobOf = (bytes: Uint8Array): string => createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** What the hub says of a model with these files. */
export function modelInfo(files: ReadonlyMap<string, Uint8Array>): string {
  const siblings = Array.from(files, ([rfilename, bytes]) => ({
    ...{ rfilename, size: bytes.length, blobId: blobOf(bytes) },
    ...(rfilename.endsWith(".safetensors") ? { lfs: { sha256: sha256Of(bytes), size: bytes.length } } : {}),
  }));
  return JSON.stringify({ id: "lab/tiny", sha: COMMIT, cardData: { license: "mit" }, siblings });
}

function sendFile(request: IncomingMessage, response: ServerResponse, bytes: Uint8Array, behaviour: HubBehaviour): void {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(behaviour.knowsNoRanges ? "" : (request.headers.range ?? "")) ?? [];
  const begin = Number(first ?? 0);
  const end = last ? Number(last) + 1 : bytes.length;
  const range = first === undefined ? {} : { "content-range": `bytes ${begin}-${end - 1}/${bytes.length}` };
  response.writeHead(first === undefined ? 200 : 206, { "content-length": end - begin, ...range });
  const { cuts } = behaviour;
  if (!cuts || cuts.times === 0 || end - begin <= cuts.bytes) return void response.end(bytes.subarray(begin, end));
  cuts.times -= 1;
  response.write(bytes.subarray(begin, begin + cuts.bytes), () => setTimeout(() => response.destroy(), 50));
}

export async function startHubServer(files: ReadonlyMap<string, Uint8Array>): Promise<HubServer> {
  const asked: HubServer["asked"] = [];
  const hub = { asked, behaviour: {} as HubBehaviour };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push({ path, method: request.method ?? "", range: request.headers.range, key: request.headers.authorization });
    const status = hub.behaviour.denies ?? hub.behaviour.busy?.shift();
    if (status !== undefined) return void response.writeHead(status).end();
    const [, revision] = /^\/api\/models\/lab\/tiny\/revision\/([\w.-]+)\?blobs=true$/.exec(path) ?? [];
    if (revision !== undefined && revision !== "gone") return void response.end(modelInfo(hub.behaviour.promises ?? files));
    const [, name] = new RegExp(`^/(?:lab/tiny/resolve/${COMMIT}|elsewhere)/([\\w.-]+)$`).exec(path) ?? [];
    const bytes = name === undefined ? undefined : files.get(name);
    if (!bytes) return void response.writeHead(404).end();
    const { portal } = hub.behaviour;
    if (portal && portal.times > 0 && portal.names.test(name ?? "")) {
      portal.times -= 1;
      return void response.writeHead(200, portal.type ? { "content-type": portal.type } : {}).end(portal.body);
    }
    if (name?.endsWith(".safetensors") && path.startsWith("/lab"))
      return void response.writeHead(302, { location: `/elsewhere/${name}` }).end();
    sendFile(request, response, bytes, hub.behaviour);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(hub, { base, close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
}
