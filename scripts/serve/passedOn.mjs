// Requests of the page to a model's server, passed on by the server of the page: it holds address and key, so no page has either, and no server
// need allow other origins. Only calls that the page makes are passed on, and only those of its own pages: what another page makes a
// browser send lacks the header below, which no browser adds for it without asking this server first.

/**
 * @typedef {import("./upstream.mjs").Upstream} Upstream
 * @typedef {{ status: number, headers: Record<string, string>, body: Buffer }} Answer
 */

/** Where the page finds whether there is a server, and what models it has. */
const LIST = "/tinker/served.json";
const CALL = /^\/tinker\/api\/v1\/([a-z_]+)$/;
const ASKED = ["healthz", "get_server_capabilities"];
const POSTED =
  "create_session session_heartbeat create_model unload_model forward forward_backward optim_step save_weights save_weights_for_sampler load_weights asample retrieve_future".split(
    " ",
  );
/** What the page's own requests carry. */
const MARK = "x-rollout-lab";
/** What an answer carries that says that the model's server gave none. */
const AWAY = "x-rollout-lab-away";
const MOST_BYTES = 64 * 2 ** 20;
/** So long the list waits for its server. */
const LIST_MS = 5_000;
/** Servers hold a question for a result up to five minutes. */
const CALL_MS = 330_000;

/** @param {number} status @param {unknown} value @returns {Answer} */
function json(status, value) {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { "Content-Type": "application/json", "Cache-Control": "no-store" }, body };
}

/** @param {number} status @param {string} detail */
const refused = (status, detail) => json(status, { detail });

/** @param {import("node:http").IncomingMessage} request @returns {Promise<Buffer | null>} null where it is too long */
async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MOST_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Whether a request comes from this server's own pages. @param {import("node:http").IncomingHttpHeaders} headers */
function isOwn(headers) {
  const site = headers["sec-fetch-site"];
  const { origin, host } = headers;
  return headers[MARK] === "1" && (site === undefined || site === "same-origin") && (origin === undefined || originHost(origin) === host);
}

/** @param {string} origin */
const originHost = (origin) => (URL.canParse(origin) ? new URL(origin).host : null);

/** The models that an answer tells; null where it is none of the API's. @param {string} text */
function modelsIn(text) {
  try {
    return JSON.parse(text).supported_models.map((/** @type {Record<string, unknown>} */ model) => ({
      name: model.model_name,
      maxContext: model.max_context_length ?? null,
    }));
  } catch {
    return null;
  }
}

/** The models of a server, or why it does not say. @param {Upstream} upstream */
async function listOf({ name, send }) {
  try {
    const { status, bytes } = await send({ method: "GET", path: "get_server_capabilities", signal: AbortSignal.timeout(LIST_MS) });
    if (status === 401 || status === 403)
      return { name, models: [], problem: `the server ${name} refused the key: set TINKER_API_KEY where the lab is started` };
    const models = status === 200 ? modelsIn(Buffer.from(bytes).toString()) : null;
    if (models) return { name, models, problem: null };
    const other = status === 200 || status === 404;
    return { name, models: [], problem: `the server ${name} ${other ? "does not speak the Tinker API" : `answered ${status}`}` };
  } catch (error) {
    return { name, models: [], problem: `the server ${name} cannot be reached (${error instanceof Error ? error.message : error})` };
  }
}

/**
 * The answer to a request for the model's server; null where the address is of nothing of it, or no server was named.
 * @param {Upstream | null} upstream
 * @param {string} path of the request
 * @param {import("node:http").IncomingMessage} request
 * @param {AbortSignal} gone aborts when whoever asked has gone
 * @returns {Promise<Answer | null>}
 */
export async function answerPassedOn(upstream, path, request, gone) {
  if (!upstream) return null;
  if (path === LIST) return json(200, await listOf(upstream));
  const [, call = ""] = CALL.exec(path) ?? [];
  if (call === "") return null;
  const { method, headers } = request;
  const isAsked = method === "GET" && ASKED.includes(call);
  if (!isAsked && !(method === "POST" && POSTED.includes(call))) return refused(405, `${method} ${call} is not passed on`);
  if (!isOwn(headers)) return refused(403, "only the page that this server has sent may ask its model's server");
  const body = isAsked ? undefined : await bodyOf(request);
  if (body === null) return refused(413, `a request must have at most ${MOST_BYTES} bytes`);
  const key = headers["x-idempotency-key"];
  try {
    const { status, type, bytes } = await upstream.send({
      method: isAsked ? "GET" : "POST",
      path: call,
      ...(body === undefined ? {} : { body, type: String(headers["content-type"] ?? "application/json") }),
      accept: String(headers.accept ?? "application/json"),
      idempotencyKey: key === undefined ? undefined : String(key),
      signal: AbortSignal.any([gone, AbortSignal.timeout(CALL_MS)]),
    });
    const told = { "Content-Type": type || "application/json", "Cache-Control": "no-store" };
    return { status, headers: told, body: Buffer.from(bytes) };
  } catch (error) {
    // Nobody knows whether the request arrived; 504 is what a proxy says then, and the header that it was this one.
    const away = refused(504, error instanceof Error ? error.message : String(error));
    return { ...away, headers: { ...away.headers, [AWAY]: "1" } };
  }
}
