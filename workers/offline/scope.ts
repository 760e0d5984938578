// What the service worker has around it, and the headers that it adds to every answer.
import { isPage } from "../../src/protocol/models/fetched.ts";

/** What of a service worker is used here; the DOM's types are those of a page. */
export interface Scope {
  /** Written in front of this script by the build (scripts/serve/offlineFiles.mjs). */
  readonly offlineFiles: {
    readonly build: string;
    readonly first: readonly { readonly url: string; readonly revision: string | null }[];
    readonly used: readonly string[];
  };
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: "window"; readonly includeUncontrolled: true }): Promise<readonly { readonly url: string }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "activate" | "message", listener: (event: WorkerEvent) => void): void;
}
export interface WorkerEvent {
  readonly data: unknown;
  readonly source: { postMessage(reply: { readonly otherTabs: number }): void };
  waitUntil(work: Promise<unknown>): void;
}

const ISOLATION = [
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Embedder-Policy", "require-corp"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
] as const;

/**
 * Whether an answer may be kept as the file of that address. A network that wants people to sign in first answers every
 * address with a page.
 */
export function mayKeep(url: string, response: Pick<Response, "status" | "headers">): boolean {
  return response.status === 200 && (!isPage(response) || /(\.html|\/)$/.test(new URL(url).pathname));
}

/** An answer with the headers that isolate a page from other origins. */
export function isolated(response: Response): Response {
  // One that leads elsewhere, or has no body to take over, stays as it is.
  if (response.type === "opaqueredirect" || response.redirected || !response.body) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of ISOLATION) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
