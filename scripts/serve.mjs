// Serves dist/ as the page needs it: isolated from other origins, so that threads may share memory, under
// its content policy, and with the right types and cache rules; requests to a model's server are passed on.
// Usage: node scripts/serve.mjs [--port N] [--host NAME] [--strict-port] [--tinker URL] [--allow-host NAME]...
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { isProgram, projectRoot } from "./environment.mjs";
import { answerTo, asksForPage, guards, pathOf } from "./serve/answer.mjs";
import { wrongName } from "./serve/calledAs.mjs";
import { answerPassedOn } from "./serve/passedOn.mjs";
import { answerWithModel } from "./serve/servedModels.mjs";
import { withRun } from "./serve/servedRun.mjs";
import { openSite } from "./serve/site.mjs";
import { upstreamOf } from "./serve/upstream.mjs";

/**
 * @typedef {{ folder: string, models: string, run: import("./serve/servedRun.mjs").RunFiles, upstream: import("./serve/upstream.mjs").Upstream | null, names: readonly string[] }} Handled
 *   models: folder of models that somebody brought, of which the build's own of the same name come first; run: files of a run that the page
 *   opens; upstream: a model's server, if any; names: what it goes by beside localhost
 */

/**
 * Handles requests for the files of a folder. A newer build is looked for with each page that is asked
 * for; its parts come from the same build as it does.
 * @param {Handled} options
 * @returns {Promise<import("node:http").RequestListener>} rejects where the folder cannot be read
 */
async function createHandler({ folder, models, run, upstream, names }) {
  const build = await openSite(folder);
  /** @type {WeakMap<object, import("./serve/site.mjs").Site>} */
  const opened = new WeakMap();
  /** @param {import("./serve/site.mjs").Site} site */
  const beside = (site) => {
    const made = opened.get(site) ?? (run.length > 0 ? withRun(site, run) : site);
    opened.set(site, made);
    return made;
  };
  /** @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response */
  const handle = async (request, response) => {
    const misnamed = wrongName(request.headers.host, names);
    if (misnamed !== null) return void response.writeHead(421, { "Content-Type": "text/plain;charset=utf-8" }).end(`${misnamed}\n`);
    const site = beside(asksForPage(request) ? await build.latest() : build.site);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const passed = await answerPassedOn(upstream, pathOf(request.url ?? "") ?? "", request, gone.signal);
    if (passed) return void response.writeHead(passed.status, { ...guards(site, request), ...passed.headers }).end(passed.body);
    const built = answerTo(site, request);
    const brought = built.status === 404 ? await answerWithModel(models, request) : null;
    if (brought) return sendBrought(request, response, { ...brought, headers: { ...guards(site, request), ...brought.headers } });
    const { status, headers, body } = built;
    // HEAD is told the length of what GET would bring.
    response.writeHead(status, status === 304 ? headers : { ...headers, "Content-Length": body.length });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  return (request, response) => {
    // One request that goes wrong must not end the server for the others.
    handle(request, response).catch((error) => {
      console.error(`internal: ${request.method} ${request.url}:`, error);
      response.destroy();
    });
  };
}

/**
 * Sends what may be a stream; whoever goes away meanwhile ends it.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {NonNullable<Awaited<ReturnType<typeof answerWithModel>>>} answer
 */
async function sendBrought(request, response, { status, headers, body }) {
  response.writeHead(status, headers);
  if (request.method === "HEAD" || Buffer.isBuffer(body)) {
    if (!Buffer.isBuffer(body)) body.destroy();
    response.end(request.method === "HEAD" ? undefined : body);
    return;
  }
  await pipeline(body, response).catch((error) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  });
}

/**
 * Starts serving; a busy port moves to the next one.
 * @param {{ port: number, host: string, strict?: boolean, tinker?: string | undefined, allowHost?: readonly string[] } & Partial<Pick<Handled, "folder" | "models" | "run">>} options
 *   tinker: address of a server that speaks the Tinker API; that of the environment where left out
 * @returns {Promise<{ url: string, port: number, close: () => void }>} rejects where no port of the next 100 is free, or the first one where strict
 */
export async function serve({ port, host, strict = false, tinker, allowHost = [], ...of }) {
  const upstream = upstreamOf(tinker, "--tinker");
  const handled = { folder: join(projectRoot, "dist"), models: "models", run: [], ...of, upstream, names: [host, ...allowHost] };
  const server = createServer(await createHandler(handled));
  const last = strict ? port : Math.min(port + 100, 65_535);
  for (let attempt = port; ; attempt++) {
    try {
      await new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(attempt, host, () => {
          server.off("error", reject);
          resolve(undefined);
        });
      });
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${attempt}/`, port: attempt, close };
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EADDRINUSE" || attempt >= last) throw error;
      console.log(`Port ${attempt} is busy, trying ${attempt + 1}.`);
    }
  }
}

/**
 * The options of serving from a command line.
 * @param {readonly string[]} args
 */
export function parseServeOptions(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string", default: "4173" },
      host: { type: "string", default: "localhost" },
      "no-open": { type: "boolean", default: false },
      "strict-port": { type: "boolean", default: false },
      tinker: { type: "string" },
      "allow-host": { type: "string", multiple: true, default: [] },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port must be a whole number from 1 to 65535, got "${values.port}"`);
  const { host, tinker, "allow-host": allowHost, "strict-port": strict } = values;
  return { port, host, open: !values["no-open"], strict, tinker, allowHost };
}

if (isProgram(import.meta.url)) {
  const { url } = await serve(parseServeOptions(process.argv.slice(2)));
  console.log(url);
}
