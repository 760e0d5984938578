// The project's own small Tinker server behind a real socket: in a test's process, for the lab's
// programs and for the official client (npm run test:interop).
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerRequest } from "../../src/model/remote/server.ts";
import type { TinkerServer } from "./tinkerServer.ts";

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export interface TinkerHttp {
  readonly url: string;
  readonly tinker: TinkerServer;
  /** Keys that requests came with. */
  readonly keys: Set<string | undefined>;
  /** While it is away nobody answers. */
  isAway: boolean;
  /** While it is, all requests are refused for their key. */
  refusesKeys: boolean;
  close(): void;
}

async function answer(http: TinkerHttp, request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
  const key = request.headers["x-api-key"] as string | undefined;
  http.keys.add(key);
  const bytes = await bytesOf(request);
  const isBytes = request.headers["content-type"] === "application/x-protobuf";
  if (http.refusesKeys) return { status: 401, body: { detail: `${key} is not known` } };
  const idempotencyKey = request.headers["x-idempotency-key"] as string | undefined;
  const received: ServerRequest = {
    method: request.method === "GET" ? "GET" : "POST",
    path: (request.url ?? "").replace("/api/v1/", ""),
    ...(bytes.length === 0 ? {} : { body: isBytes ? new Uint8Array(bytes) : (JSON.parse(bytes.toString()) as unknown) }),
    takesBytes: request.headers.accept === "application/x-protobuf",
    ...(idempotencyKey ? { idempotencyKey } : {}),
    timeoutMs: 1,
  };
  const { status, body } = await http.tinker.send(received);
  // A careless server repeats what it was sent.
  return { status, body: status === 200 ? body : { detail: `${JSON.stringify(body)} for ${key}` } };
}

/** Serves a test server on a free port of this machine, or the one given. */
export async function serveTinker(tinker: TinkerServer, port = 0): Promise<TinkerHttp> {
  const server: Server = createServer(async (request, response) => {
    if (served.isAway) return void request.destroy();
    const { status, body } = await answer(served, request);
    if (body instanceof Uint8Array) response.writeHead(status, { "content-type": "application/x-protobuf" }).end(body);
    else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
    tinker.close();
  };
  const served: TinkerHttp = { url, tinker, keys: new Set(), isAway: false, refusesKeys: false, close };
  return served;
}
