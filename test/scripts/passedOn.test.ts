// The page's server passes requests on to a model's server: only those of its own pages, only calls that the page makes, with a key that
// nobody else sees; and it answers to no name that is not its own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serve } from "../../scripts/serve.mjs";

const KEY = "tml-very-secret-key";
const folder = mkdtempSync(join(tmpdir(), "rollout-lab-passed-on-"));
let upstream: Server;
let server: Awaited<ReturnType<typeof serve>>;
const seen: { readonly url: string; readonly key: unknown; readonly idempotency: unknown; readonly body: string }[] = [];

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function ask(path: string, { method = "GET", headers = {}, body }: Asked = {}) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const outgoing = request({ host: "localhost", port: server.port, path, method, headers }, (response) => {
      let text = "";
      response.on("data", (part: Buffer) => {
        text += part.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.on("error", reject).end(body);
  });
}

const own = { "x-rollout-lab": "1", "content-type": "application/json" };
const post = (path: string, headers: Readonly<Record<string, string>> = own) => ask(path, { method: "POST", headers, body: '{"a":1}' });

beforeAll(async () => {
  process.env.TINKER_API_KEY = KEY;
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
  mkdirSync(join(folder, "assets"));
  upstream = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    const { url = "", headers } = request;
    seen.push({ url, key: headers["x-api-key"], idempotency: headers["x-idempotency-key"], body });
    if (url.endsWith("get_server_capabilities"))
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"supported_models":[{"model_name":"lab/tiny","max_context_length":64}]}');
    response.writeHead(418, { "content-type": "application/json" }).end(JSON.stringify({ detail: `${headers["x-api-key"]} said ${body}` }));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const tinker = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  server = await serve({ port: 45_370, host: "localhost", folder, tinker, allowHost: ["lab.example"] });
});
afterAll(() => {
  delete process.env.TINKER_API_KEY;
  server.close();
  upstream.close();
  rmSync(folder, { recursive: true });
});

it("tells its pages what the server is called and what it has", async () => {
  const { status, text } = await ask("/tinker/served.json");
  expect(status).toBe(200);
  const { name, models, problem } = JSON.parse(text);
  expect(name).toMatch(/^127\.0\.0\.1:\d+$/);
  expect({ models, problem }).toEqual({ models: [{ name: "lab/tiny", maxContext: 64 }], problem: null });
});

it("adds the key, keeps the body and the status, and blots the key out of what comes back", async () => {
  const { status, text } = await post("/tinker/api/v1/forward", { ...own, "x-idempotency-key": "once" });
  expect(status).toBe(418);
  expect(text).toBe(JSON.stringify({ detail: `${"*".repeat(KEY.length)} said {"a":1}` }));
  expect(seen.at(-1)).toEqual({ url: "/api/v1/forward", key: KEY, idempotency: "once", body: '{"a":1}' });
});

it.each([
  ["a form of another page", { "content-type": "text/plain" }],
  ["another page's script", { ...own, origin: "http://evil.example" }],
  ["another site, as the browser says", { ...own, "sec-fetch-site": "cross-site" }],
])("refuses %s, and asks its server nothing", async (_what, headers) => {
  const before = seen.length;
  const { status, text } = await post("/tinker/api/v1/forward", headers);
  expect(status).toBe(403);
  expect(JSON.parse(text).detail).toBe("only the page that this server has sent may ask its model's server");
  expect(seen).toHaveLength(before);
});

it("lets its own page's origin in", async () => {
  const origin = `http://localhost:${server.port}`;
  expect((await post("/tinker/api/v1/forward", { ...own, origin, "sec-fetch-site": "same-origin" })).status).toBe(418);
});

it.each(["delete_everything", "get_server_capabilities"])("passes no POST of %s on", async (call) => {
  expect((await post(`/tinker/api/v1/${call}`)).status).toBe(405);
});

it("has no such addresses beside the calls", async () => {
  expect((await ask("/tinker/api/v1/../../secret")).status).toBe(404);
  expect((await ask("/tinker/other.json")).status).toBe(404);
});

it("is there for its own names alone", async () => {
  for (const host of ["localhost", "127.0.0.1:80", "[::1]:4173", "LAB.example", "x.localhost"])
    expect((await ask("/", { headers: { host } })).status, host).toBe(200);
  for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example"]) {
    const { status, text } = await ask("/tinker/served.json", { headers: { host } });
    expect(status, host).toBe(421);
    expect(text).toContain("--allow-host");
  }
});

it("says that its server is away, and what it was started with where that is no address", async () => {
  const away = await serve({ port: 45_380, host: "localhost", folder, tinker: "http://127.0.0.1:9" });
  const answer = await fetch(`${away.url}tinker/served.json`);
  expect(((await answer.json()) as { readonly problem: string }).problem).toMatch(/^the server 127\.0\.0\.1:9 cannot be reached/);
  const wrong = await serve({ port: 45_385, host: "localhost", folder, tinker: away.url });
  const other = (await (await fetch(`${wrong.url}tinker/served.json`)).json()) as { readonly problem: string };
  expect(other.problem).toMatch(/^the server localhost:\d+ does not speak the Tinker API$/);
  wrong.close();
  const call = await fetch(`${away.url}tinker/api/v1/healthz`, { headers: own });
  expect(call.status).toBe(504);
  // The page tells a server that gave no answer from one that answered 504.
  expect(call.headers.get("x-rollout-lab-away")).toBe("1");
  expect(((await call.json()) as { readonly detail: string }).detail).not.toContain("fetch failed");
  away.close();
  await expect(serve({ port: 45_390, host: "localhost", folder, tinker: "ftp://x" })).rejects.toThrow(
    "--tinker must begin with http:// or https://, got ftp://",
  );
});

it("has nothing to tell where no server was named", async () => {
  const plain = await serve({ port: 45_391, host: "localhost", folder });
  expect((await fetch(`${plain.url}tinker/served.json`)).status).toBe(404);
  plain.close();
});
