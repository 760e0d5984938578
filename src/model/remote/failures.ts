// The ways in which a request to a model's server comes to nothing, told apart by what can be done about them.
import { Recoverable, showValue } from "../../protocol/problems.ts";
import type { ServerAnswer } from "./server.ts";

/** The server cannot be reached, or has no time for the request: the run pauses and goes on from where it stands. */
export class ServerAway extends Recoverable {
  override readonly name = "ServerAway";
}

/** The server refuses the request for what it is. */
export class ServerRefused extends Recoverable {
  override readonly name = "ServerRefused";
}

/** The server does not know the session, the model or the request any more: it was started anew, or has cleaned up. */
export class ModelForgotten extends Error {
  override readonly name = "ModelForgotten";
}

/** A request that changes the model got no answer, and a second try could be counted twice. */
export class InDoubt extends Error {
  override readonly name = "InDoubt";
}

/** What a server says is wrong, in its own words. */
export function detailOf({ status, body }: ServerAnswer): string {
  const { detail, error, message } = (typeof body === "object" && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const said = detail ?? error ?? message;
  const text = typeof said === "string" ? said : said === undefined ? "" : showValue(said);
  return text === "" ? `status ${status}` : `status ${status}: ${text.slice(0, 300)}`;
}
