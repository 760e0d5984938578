// What the engine knows of the server that its model lies on: one call that sends a request and brings the answer. The host
// has the address and the key; nothing here sees either, so neither can reach a log, a save or a page.

/** A request of the Tinker API. Bodies are plain JSON. */
export interface ServerRequest {
  readonly method: "GET" | "POST";
  /** Below /api/v1/. */
  readonly path: string;
  readonly body?: unknown;
  /** The same for each try of one request, so that a server can tell a second try from a second request. */
  readonly idempotencyKey?: string;
  readonly timeoutMs: number;
}

/** What came back. */
export interface ServerAnswer {
  readonly status: number;
  /** Null where it was no JSON. */
  readonly body: unknown;
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
