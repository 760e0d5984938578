// The server of a model as the page's engine reaches it: by the page's own server, which has its address and key and passes requests on. So
// neither is known here, and no server need allow other origins.
import { answerOf, type ModelServer, wireOf } from "../src/model/remote/server.ts";
import { readServedServer } from "../src/protocol/models/servedServer.ts";
import { InputError, isRecord } from "../src/protocol/problems.ts";
import { siteFolder } from "./assets.ts";

const folder = `${siteFolder}tinker/`;

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
    async send(request) {
      const { method, path, idempotencyKey, timeoutMs } = request;
      const { accept, type, body } = { body: null, type: null, ...wireOf(request) };
      const answer = await fetch(`${folder}api/v1/${path}`, {
        method,
        cache: "no-store",
        headers: {
          "x-rollout-lab": "1",
          accept,
          ...(type === null ? {} : { "content-type": type }),
          ...(idempotencyKey ? { "x-idempotency-key": idempotencyKey } : {}),
        },
        body: body instanceof Uint8Array ? new Blob([body.slice()]) : body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const told = answerOf(answer.status, answer.headers.get("content-type") ?? "", new Uint8Array(await answer.arrayBuffer()));
      // The page's own server says so that it got no answer either, and why: that is no answer here.
      if (answer.headers.has("x-rollout-lab-away") && isRecord(told.body)) throw new Error(String(told.body.detail));
      return told;
    },
  };
}
