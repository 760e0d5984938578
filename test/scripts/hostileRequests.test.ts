// A thousand requests that no browser would send, over bare sockets: the server goes on answering, and
// nothing that lies outside the build comes out.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serve } from "../../scripts/serve.mjs";
import { Random } from "../../src/rl/random.ts";

const REQUESTS = 1000;
const SECRET = "what lies outside the build";
const SCRIPT = "console.log(1);\n".repeat(200);
const PAGE = "<!doctype html><title>page</title>";
const folder = mkdtempSync(join(tmpdir(), "rollout-lab-hostile-"));
const site = join(folder, "site");
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  mkdirSync(join(site, "assets"), { recursive: true });
  mkdirSync(join(folder, "private"));
  for (const path of ["secret.txt", "private/secret.txt", "site/.env"]) writeFileSync(join(folder, path), SECRET);
  symlinkSync(join(folder, "secret.txt"), join(site, "assets", "link.txt"));
  symlinkSync(join(folder, "private"), join(site, "private"));
  symlinkSync(folder, join(site, "assets", "up"));
  writeFileSync(join(site, "index.html"), PAGE);
  writeFileSync(join(site, "assets", "app-1234.js"), SCRIPT);
  writeFileSync(join(site, "assets", "app-1234.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(site, "assets", "app-1234.js.gz"), gzipSync(SCRIPT));
  server = await serve({ port: 45_370, host: "localhost", folder: site });
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Sends text as it is and gives all that comes back; a server that waits for more is left after a while. */
function send(text: string, waitMs: number): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(server.port, "localhost", () => socket.write(Buffer.from(text, "latin1")));
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on("data", (data) => {
      received += data.toString("latin1");
    });
    // A server that closes early resets what is still being sent.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

const PIECES = [
  "..",
  "%2e%2e",
  "%2e.",
  "..%2f",
  "..%5c",
  "..\\",
  "%00",
  "%c0%ae%c0%ae",
  "%",
  "%zz",
  ".",
  "",
  "assets",
  "private",
  "up",
  "link.txt",
  "secret.txt",
  "app-1234.js",
  "app-1234.js.br",
  "site",
  ".env",
  "etc",
  "passwd",
  "index.html",
  "a".repeat(300),
  "\u00ff",
  "%E0%A4%A",
];
const METHODS = [
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "get",
  "G E T",
  "",
  "BREW",
];
const RANGES = [
  "bytes=5-1",
  "bytes=-5",
  "bytes=-",
  "bytes=0-0,5-1",
  "bytes=9999999999999999999-",
  "bytes=-99999999999999999999",
  "bytes=1e3-2e3",
  "bytes=0x1-0x2",
  "bytes=--5",
  "bytes=NaN-",
  "chickens=1-2",
  "bytes=0-",
  `bytes=${"0-1,".repeat(500)}2-3`,
];
/** Conditions and preferences, some of which hold. */
const CONDITIONS = [
  "If-None-Match: *",
  "If-None-Match: W/",
  'If-None-Match: "',
  'If-Range: "',
  "If-Match: ,,,,",
  'If-Match: "other"',
  "Accept-Encoding: br;q=abc, gzip;q=-1, *;q=9e9",
  "Accept-Encoding: ;;;,,,",
  "Accept-Encoding: br",
  "Upgrade: websocket\r\nConnection: Upgrade",
];
/** What no server goes along with. */
const BROKEN = [
  "Expect: 100-continue",
  "Expect: nonsense",
  "Content-Length: 5",
  "Content-Length: -1",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nContent-Length: 3",
  "Host: ",
  "X: \u0000",
  ": nameless",
  "no colon",
  " folded",
  `Cookie: ${"x".repeat(20_000)}`,
];

const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!;

const REAL = ["/", "/assets/app-1234.js", "/train", "/assets/link.txt", "/assets/up/secret.txt", "/private/secret.txt", "/.env"];

/** An address made of pieces that have led out of a folder somewhere before. */
function strangeTarget(random: Random): string {
  const start = pick(random, ["/", "/", "/", "//", "", "http://localhost/", "file:///", "\\"]);
  const path = Array.from({ length: random.below(6) }, () => pick(random, PIECES)).join(pick(random, ["/", "/", "//", "\\", "%2f"]));
  return start + path + pick(random, ["", "", "?../..", "#x", " ", "\t"]);
}

/** Some request, whole or cut off; most of them broken in one way or several. */
function hostileRequest(random: Random): string {
  const chance = (share: number) => random.uniform() < share;
  const target = chance(0.5) ? pick(random, REAL) : strangeTarget(random);
  const headers = ["Host: localhost", "Connection: close"];
  if (chance(0.3)) headers.push(pick(random, CONDITIONS));
  if (chance(0.4)) headers.push(`Range: ${pick(random, RANGES)}`);
  if (chance(0.2)) headers.push(pick(random, BROKEN));
  const method = chance(0.7) ? "GET" : pick(random, METHODS);
  const version = chance(0.8) ? "HTTP/1.1" : pick(random, ["HTTP/1.0", "HTTP/9.9", "", "HTTP/2"]);
  const lines = [`${method} ${target} ${version}`, ...headers, "", ""].join(chance(0.9) ? "\r\n" : "\n");
  return chance(0.15) ? lines.slice(0, random.below(lines.length)) : lines;
}

it(`answers after ${REQUESTS} hostile requests and gives away nothing outside the build`, async () => {
  const random = new Random(7);
  const statuses = new Set<string>();
  for (let sent = 0; sent < REQUESTS; sent += 50) {
    const requests = Array.from({ length: 50 }, () => hostileRequest(random));
    const answers = await Promise.all(requests.map((text) => send(text, 500)));
    answers.forEach((answer, i) => {
      expect(answer, `to ${JSON.stringify(requests[i])}`).not.toContain(SECRET);
      expect(answer, `to ${JSON.stringify(requests[i])}`).not.toContain("root:");
      for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) statuses.add(status ?? "");
    });
    const page = await fetch(server.url);
    expect([page.status, await page.text()]).toEqual([200, PAGE]);
  }
  // Proof that the requests went in many different ways.
  expect([...statuses].sort()).toEqual(expect.arrayContaining(["200", "206", "304", "400", "404", "405", "412", "416", "431"]));
});

it("survives clients that leave in the middle of an answer", async () => {
  for (let i = 0; i < 50; i++)
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, "localhost", () => {
        socket.write("GET /assets/app-1234.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20));
        setTimeout(() => socket.resetAndDestroy(), i % 5);
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve());
    });
  expect((await fetch(server.url)).status).toBe(200);
});
