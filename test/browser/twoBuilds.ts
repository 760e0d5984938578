// Two builds of the page under one address, on a host that sends no headers of interest and changes over from one to the other.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Page } from "@playwright/test";
import { writeOfflineFiles } from "../../scripts/serve/offlineFiles.mjs";
import { TYPES } from "./hosts.ts";

const MARK = "app.webmanifest";

/** The build under another name: its title and one of its unhashed files tell which it is. */
function buildNamed(name: string, folder: string): string {
  const to = join(folder, name);
  cpSync("dist", to, { recursive: true, filter: (path) => !/\.(br|gz)$/.test(path) && !path.startsWith(join("dist", "examples")) });
  const page = join(to, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace("<title>Rollout Lab</title>", `<title>${name}</title>`));
  writeFileSync(join(to, MARK), JSON.stringify({ name }));
  writeOfflineFiles(to);
  return to;
}

/** A host that sends no headers of interest, and can change over to another build. */
async function changingHost(first: string) {
  let root = first;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = join(root, pathname === "/lab/" ? "index.html" : pathname.replace(/^\/lab\//, ""));
    if (!pathname.startsWith("/lab/") || !existsSync(path)) return void response.writeHead(404).end("not found");
    response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const use = (next: string) => {
    root = next;
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${port}/lab/`, use, close };
}

export interface TwoBuilds {
  readonly url: string;
  readonly older: string;
  readonly newer: string;
  /** Changes over to a build. */
  use(build: string): void;
  close(): void;
}

/** Makes both builds; the older one is served first. */
export async function twoBuilds(): Promise<TwoBuilds> {
  const folder = mkdtempSync(join(tmpdir(), "kept-page-"));
  const [older, newer] = [buildNamed("older", folder), buildNamed("newer", folder)];
  const host = await changingHost(older);
  const close = () => {
    host.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: host.url, use: host.use, older, newer, close };
}

/** The build that an unhashed file of the page is of. */
export const nameOf = (page: Page) => page.evaluate((mark) => fetch(mark).then(async (answer) => (await answer.json()).name), MARK);
