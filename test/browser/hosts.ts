// Other hosts than the project's own server: one that tells every breach of the page's policy, by page
// and workers alike, and a plain one that sends files of a folder and no header of interest.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { answerTo } from "../../scripts/serve/answer.mjs";
import { openSite } from "../../scripts/serve/site.mjs";

const dist = join(import.meta.dirname, "..", "..", "dist");

export interface WebHost {
  /** Address of the page's folder, ending in "/". */
  readonly url: string;
  close(): void;
}

async function listen(listener: RequestListener, folder: string): Promise<WebHost> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${port}${folder}`, close };
}

/** What a browser reports of a breach. */
interface PolicyReport {
  readonly "csp-report": { readonly "document-uri": string; readonly "effective-directive": string; readonly "blocked-uri": string };
}

/** The project's answers, with an address added to the policy to which breaches are reported. */
export async function reportingHost(): Promise<WebHost & { readonly reports: readonly string[] }> {
  const { site } = await openSite(dist);
  const reports: string[] = [];
  const host = await listen((request, response) => {
    if (request.method === "POST" && request.url === "/reports") {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { "csp-report": breach } = JSON.parse(Buffer.concat(parts).toString("utf8")) as PolicyReport;
        reports.push(`${new URL(breach["document-uri"]).pathname}: ${breach["effective-directive"]} ${breach["blocked-uri"]}`);
        response.writeHead(204).end();
      });
      return;
    }
    const { status, headers, body } = answerTo(site, request);
    response.writeHead(status, { ...headers, "Content-Security-Policy": `${headers["Content-Security-Policy"]}; report-uri /reports` });
    response.end(body);
  }, "/");
  return { ...host, reports };
}

/** Types of the build's files. */
export const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/**
 * The build, or another folder, in a folder of a host that knows types and nothing else, and answers 404 to all it has not.
 * @param answered the file that a path is answered with
 */
export function plainHost(folder: string, root = dist, answered = (path: string) => path): Promise<WebHost> {
  return listen((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(root, answered(`${pathname.slice(folder.length)}${pathname.endsWith("/") ? "index.html" : ""}`));
    if (!pathname.startsWith(folder) || !existsSync(path))
      response.writeHead(404, { "Content-Type": "text/html" }).end("<h1>Not found</h1>");
    else response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  }, folder);
}
