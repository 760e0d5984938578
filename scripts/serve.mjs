// Serves dist/ as the page needs it: isolated from other origins, so that threads may share memory,
// and with the right types and cache rules. Usage: node scripts/serve.mjs [--port N] [--host NAME] [--strict-port]
import { createServer } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isProgram, projectRoot } from "./environment.mjs";

const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};
const EXTRA_TYPES = {
  ".safetensors": "application/octet-stream",
  ".jinja": "text/plain;charset=utf-8",
  ".jsonl": "application/jsonl;charset=utf-8",
};

/**
 * The request handler. Names under assets/ carry a hash of their content and are kept for ever;
 * everything else is asked for again and answered "unchanged" by its tag.
 * @param {string} folder
 */
async function createHandler(folder) {
  const { default: sirv } = await import("sirv");
  const files = sirv(folder, {
    single: true,
    etag: true,
    brotli: true,
    gzip: true,
    setHeaders(response, path) {
      response.setHeader("Cache-Control", path.startsWith("/assets/") ? "public,max-age=31536000,immutable" : "no-cache");
      const type = Object.entries(EXTRA_TYPES).find(([extension]) => path.endsWith(extension))?.[1];
      if (type) response.setHeader("Content-Type", type);
    },
  });
  /** @type {import("node:http").RequestListener} */
  return (request, response) => {
    for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD" }).end();
      return;
    }
    files(request, response, () => response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n"));
  };
}

/**
 * Starts serving; a busy port moves to the next one.
 * @param {{ port: number, host: string, strict?: boolean, folder?: string }} options
 * @returns {Promise<{ url: string, port: number, close: () => void }>} rejects where no port of the next 100 is free, or the first one where strict
 */
export async function serve({ port, host, strict = false, folder = join(projectRoot, "dist") }) {
  const server = createServer(await createHandler(folder));
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
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port must be a whole number from 1 to 65535, got "${values.port}"`);
  return { port, host: values.host, open: !values["no-open"], strict: values["strict-port"] };
}

if (isProgram(import.meta.url)) {
  const { url } = await serve(parseServeOptions(process.argv.slice(2)));
  console.log(url);
}
