// The server of a model as the page's engine reaches it: by the page's own server, which has its address and key and passes requests on. So
// neither is known here, and no server need allow other origins.
import type { ModelServer } from "../src/model/remote/server.ts";
import { readServedServer } from "../src/protocol/models/servedServer.ts";
import { InputError } from "../src/protocol/problems.ts";
import { siteFolder } from "./assets.ts";

const folder = `${siteFolder}tinker/`;

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The server that the page's own passes requests on to. Throws a sentence where it passes none on. */
export async function openPageServer(): Promise<ModelServer> {
  const response = await fetch(`${folder}served.json`, { cache: "no-store" }).catch(() => null);
  const server = await readServedServer(response);
  if (!server) {
    const message = "backend tinker needs the lab to be started with a server that speaks the Tinker API: npm start -- --tinker URL";
    throw new InputError([{ field: "backend", message }]);
  }
  return {
    name: server.name,
    async send({ method, path, body, idempotencyKey, timeoutMs }) {
      const answer = await fetch(`${folder}api/v1/${path}`, {
        method,
        cache: "no-store",
        headers: {
          "x-rollout-lab": "1",
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(idempotencyKey ? { "x-idempotency-key": idempotencyKey } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.status, body: await bodyOf(answer) };
    },
  };
}
