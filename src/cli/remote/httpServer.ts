// A server that speaks the Tinker API over HTTP. The key stays in here: it goes into one header of each request, and is blotted out of
// whatever comes back, so that no sentence, log or save can hold it.
import type { ModelServer, ServerAnswer, ServerRequest } from "../../model/remote/server.ts";
import { CommandError } from "../lab/exit.ts";

/** Where the key is looked for. */
export const KEY_VARIABLE = "TINKER_API_KEY";
/** Where the address is looked for when no option names it; the official client's. */
export const ADDRESS_VARIABLE = "TINKER_BASE_URL";

/** The address of a server, without what would make it another one's: "/api/v1" and a slash at the end. Throws a CommandError. */
export function serverAddress(text: string, option: string): URL {
  let address: URL;
  try {
    address = new URL(text);
  } catch {
    throw new CommandError(`${option} must be an address such as http://localhost:8000, got ${JSON.stringify(text)}`);
  }
  if (address.protocol !== "http:" && address.protocol !== "https:")
    throw new CommandError(`${option} must begin with http:// or https://, got ${address.protocol}//`);
  if (address.username !== "" || address.password !== "" || address.search !== "")
    throw new CommandError(`${option} must hold no name, password or query: the key belongs into ${KEY_VARIABLE}`);
  address.pathname = address.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
  return address;
}

function blotted(text: string, key: string | undefined): string {
  return key ? text.replaceAll(key, "[key]") : text;
}

/** Why a request came to nothing, as the system says it: fetch itself says "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** A connection to a server. @param key of the environment; none where the server wants none. */
export function httpServer(address: URL, key: string | undefined): ModelServer {
  const base = `${address.origin}${address.pathname === "/" ? "" : address.pathname}`;
  const send = async ({ method, path, body, idempotencyKey, timeoutMs }: ServerRequest): Promise<ServerAnswer> => {
    try {
      const response = await fetch(`${base}/api/v1/${path}`, {
        method,
        // A key must not follow wherever a server points to.
        redirect: "error",
        headers: {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key ? { "x-api-key": key } : {}),
          ...(idempotencyKey ? { "x-idempotency-key": idempotencyKey } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = blotted(await response.text(), key);
      return { status: response.status, body: parsed(text) };
    } catch (error) {
      throw new Error(blotted(reasonOf(error), key));
    }
  };
  return { name: base.replace(/^https?:\/\//, ""), send };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The server of an option or of the environment; null where neither names one. */
export function serverOfEnvironment(url: string | undefined): ModelServer | null {
  const named = url ?? process.env[ADDRESS_VARIABLE];
  if (!named) return null;
  return httpServer(serverAddress(named, url === undefined ? ADDRESS_VARIABLE : "--url"), process.env[KEY_VARIABLE]);
}
