// What the engine knows of the server that its model lies on: one call that sends a request and brings the answer. The host
// has the address and the key; nothing here sees either, so neither can reach a log, a save or a page.
import { orElse } from "../../protocol/problems.ts";

/** A request of the Tinker API. Bodies are plain JSON, or bytes in the form of protobuf.ts. */
export interface ServerRequest {
  readonly method: "GET" | "POST";
  /** Below /api/v1/. */
  readonly path: string;
  readonly body?: unknown;
  /** The same for each try of one request, so that a server can tell a second try from a second request. */
  readonly idempotencyKey?: string;
  /** Whether its answer may come in the form of protobuf.ts. */
  readonly takesBytes?: boolean;
  readonly timeoutMs: number;
}

/** What came back. */
export interface ServerAnswer {
  readonly status: number;
  /** Bytes where it was in the form of protobuf.ts; null where it was neither that nor JSON. */
  readonly body: unknown;
}

const JSON_FORM = "application/json";
const BYTES_FORM = "application/x-protobuf";

/** What a request puts on the wire: its body and the names of the forms it is in and takes. */
export function wireOf({ body, takesBytes }: ServerRequest) {
  const accept = takesBytes ? BYTES_FORM : JSON_FORM;
  if (body === undefined) return { accept };
  return body instanceof Uint8Array ? { accept, type: BYTES_FORM, body } : { accept, type: JSON_FORM, body: JSON.stringify(body) };
}

/** What came back, read by the form that it says it has. */
export function answerOf(status: number, type: string, bytes: Uint8Array): ServerAnswer {
  if (type.startsWith(BYTES_FORM)) return { status, body: bytes };
  return { status, body: orElse<unknown, null>(() => JSON.parse(new TextDecoder().decode(bytes)), null) };
}

/** A server that speaks the Tinker API. */
export interface ModelServer {
  /** What people call it: its address without anything secret. */
  readonly name: string;
  /** Rejects where no answer came: nobody knows then whether the request did. */
  send(request: ServerRequest): Promise<ServerAnswer>;
}

/** What tries and waiting need of the host. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}
