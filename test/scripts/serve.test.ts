import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseServeOptions, serve } from "../../scripts/serve.mjs";

const SCRIPT = "console.log('a script long enough to be compressed');\n".repeat(60);
const folder = mkdtempSync(join(tmpdir(), "rollout-lab-serve-"));
const site = join(folder, "site");
let server: Awaited<ReturnType<typeof serve>>;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request whose path goes out as written: fetch would tidy "/../" away. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "localhost", port: server.port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }));
    });
    outgoing.on("error", reject).end();
  });
}

beforeAll(async () => {
  mkdirSync(join(site, "assets"), { recursive: true });
  mkdirSync(join(site, "models", "base"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(site, ".stamp"), "stamp");
  writeFileSync(join(site, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(site, "assets", "app-1234.js"), SCRIPT);
  writeFileSync(join(site, "assets", "app-1234.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(site, "assets", "app-1234.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(site, "assets", "kernels.wasm"), Buffer.from([0, 97, 115, 109]));
  writeFileSync(join(site, "models", "base", "model.safetensors"), Buffer.from([1, 2, 3, 4, 5]));
  writeFileSync(join(site, "models", "base", "config.json"), "{}");
  server = await serve({ port: 45_170, host: "localhost", folder: site });
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

describe("the server", () => {
  it.each(["/", "/assets/app-1234.js", "/models/base/config.json", "/nothing.json"])("isolates %s from other origins", async (path) => {
    const { headers } = await ask(path);
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["cross-origin-embedder-policy"]).toBe("require-corp");
  });

  it.each([
    ["/", /^text\/html/],
    ["/assets/app-1234.js", /^(text|application)\/javascript/],
    ["/assets/kernels.wasm", /^application\/wasm$/],
    ["/models/base/model.safetensors", /^application\/octet-stream$/],
    ["/models/base/config.json", /^application\/json/],
  ])("gives %s its type", async (path, type) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(type);
  });

  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("sends the %s copy to who accepts it", async (encoding, decompress) => {
    const { headers, body } = await ask("/assets/app-1234.js", { "accept-encoding": encoding });
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["content-type"]).toMatch(/javascript/);
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(decompress(body).toString()).toBe(SCRIPT);
  });

  it("sends the plain file to who accepts nothing else", async () => {
    const { headers, body } = await ask("/assets/app-1234.js");
    expect(headers["content-encoding"]).toBeUndefined();
    expect(body.toString()).toBe(SCRIPT);
  });

  it("lets hashed names be kept and everything else be asked for again", async () => {
    expect((await ask("/assets/app-1234.js")).headers["cache-control"]).toMatch(/immutable/);
    const page = await ask("/");
    expect(page.headers["cache-control"]).toBe("no-cache");
    const again = await ask("/", { "if-none-match": page.headers.etag ?? "" });
    expect(again.status).toBe(304);
    expect(again.headers["cross-origin-embedder-policy"]).toBe("require-corp");
  });

  it("answers an unknown address with the page and an unknown file with 404", async () => {
    expect((await ask("/rollouts")).body.toString()).toContain("<title>page</title>");
    expect((await ask("/models/other/config.json")).status).toBe(404);
    expect((await ask("/assets/gone-5678.js")).status).toBe(404);
  });

  it.each(["/../secret.txt", "/assets/../../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/..\\secret.txt", "//../secret.txt"])(
    "never leaves its folder for %s",
    async (path) => {
      expect((await ask(path)).body.toString()).not.toContain("secret");
    },
  );

  it("does not show hidden files", async () => {
    expect((await ask("/.stamp")).body.toString()).not.toBe("stamp");
  });

  it("survives an address that is not valid", async () => {
    expect((await ask("/%E0%A4%A")).status).toBeGreaterThan(0);
    expect((await ask("/")).status).toBe(200);
  });

  it("answers HEAD without a body and refuses to be written to", async () => {
    const head = await ask("/", {}, "HEAD");
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect((await ask("/", {}, "POST")).status).toBe(405);
  });

  it("moves to the next port when one is busy, unless told not to", async () => {
    const second = await serve({ port: server.port, host: "localhost", folder: site });
    expect(second.port).toBeGreaterThan(server.port);
    second.close();
    await expect(serve({ port: server.port, host: "localhost", folder: site, strict: true })).rejects.toThrow("EADDRINUSE");
  });
});

describe("the options", () => {
  it("have defaults", () => {
    expect(parseServeOptions([])).toEqual({ port: 4173, host: "localhost", open: true, strict: false, allowHost: [] });
  });

  it("are read", () => {
    const given = [
      "--port",
      "80",
      "--host",
      "::",
      "--no-open",
      "--tinker",
      "http://x",
      "--allow-host",
      "a.example",
      "--allow-host",
      "b.example",
    ];
    const read = { port: 80, host: "::", open: false, strict: false, tinker: "http://x", allowHost: ["a.example", "b.example"] };
    expect(parseServeOptions(given)).toEqual(read);
  });

  it.each(["0", "70000", "abc", "1.5", ""])("refuse port %s", (port) => {
    expect(() => parseServeOptions([`--port=${port}`])).toThrow(`--port must be a whole number from 1 to 65535, got "${port}"`);
  });
});

it("a run beside the page is in the page and in no other file of the build", async () => {
  writeFileSync(join(site, "index.html"), "<!doctype html><title>page</title><body></body>");
  const other = await serve({ port: 45_190, host: "localhost", folder: site, run: [["my run/save/save.json", Buffer.from("{}")]] });
  const text = async (path: string) => {
    const answer = await fetch(new URL(path, other.url));
    return `${answer.status} ${await answer.text()}`;
  };
  try {
    expect(await text("/")).toMatch(/^200 .*<script src="\/run\/open\.js"><\/script>\s*<\/body>/s);
    expect(await text("/run/open.js")).toMatch(/^200 \/\/ Opens the run/);
    expect(await text("/run/files.json")).toBe('200 ["my run/save/save.json"]');
    expect(await text("/run/my%20run/save/save.json")).toBe("200 {}");
    expect((await ask("/run/files.json")).status).toBe(404);
    expect((await ask("/")).body.toString()).not.toContain("open.js");
  } finally {
    other.close();
  }
});
