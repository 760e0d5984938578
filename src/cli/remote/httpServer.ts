// A server that speaks the Tinker API, as the command line's engine has it. Address and key are known to the script alone that the
// page's server has them from too (scripts/serve/upstream.mjs), outside the bundle.
import { answerOf, type ModelServer, wireOf } from "../../model/remote/server.ts";
import { errorText, isRecord } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { packageScript } from "../packageFiles.ts";

/** As the script has it, which no type of the sources may reach. */
interface Upstream {
  readonly name: string;
  readonly url: string;
  send(request: {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly body?: string | Uint8Array;
    readonly type?: string;
    readonly accept: string;
    readonly idempotencyKey: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<{ readonly status: number; readonly type: string; readonly bytes: Uint8Array }>;
}
interface Script {
  upstreamOf(text: string | undefined, option: string): Upstream | null;
}

/** Where the address is looked for when no option names it; the official client's. */
export const ADDRESS_VARIABLE = "TINKER_BASE_URL";

/** A server, and its address without anything secret. */
export interface NamedServer extends ModelServer {
  readonly url: string;
}

function serverOf({ name, url, send }: Upstream): NamedServer {
  return {
    name,
    url,
    async send(request) {
      const { method, path, idempotencyKey, timeoutMs } = request;
      const sent = { method, path, idempotencyKey, signal: AbortSignal.timeout(timeoutMs) };
      const { status, type, bytes } = await send({ ...sent, ...wireOf(request) });
      return answerOf(status, type, bytes);
    },
  };
}

/** The address that a run's run.json keeps; undefined where it keeps none. */
function keptAddress(facts: unknown): string | undefined {
  const server = isRecord(facts) ? facts.server : null;
  return isRecord(server) && typeof server.url === "string" ? server.url : undefined;
}

/**
 * The server of an option, else the one that a run was begun on, else the environment's; null where none of them names one.
 * Throws a CommandError where what they name is no address.
 * @param facts what the run's run.json says
 */
export async function namedServer(url: string | undefined, facts: unknown = null): Promise<NamedServer | null> {
  const named = url ?? keptAddress(facts) ?? process.env.TINKER_BASE_URL;
  if (named === undefined || named === "") return null;
  const script = await packageScript<Script>("scripts/serve/upstream.mjs");
  try {
    const upstream = script.upstreamOf(url ?? keptAddress(facts), url === undefined ? "server.url of run.json" : "--url");
    return upstream && serverOf(upstream);
  } catch (error) {
    throw new CommandError(errorText(error));
  }
}
