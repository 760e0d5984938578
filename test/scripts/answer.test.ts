// Conditions and ranges of single requests, by the rules of RFC 9110, on files in memory.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerTo, readRange } from "../../scripts/serve/answer.mjs";

const TEXT = "0123456789";
const PAGE_POLICY = "default-src 'none'";
const file = (plain: string, copies: { br?: string; gzip?: string } = {}) => {
  const representation = (text: string) => ({ bytes: Buffer.from(text), etag: `"${text}"` });
  const { br, gzip } = copies;
  return {
    type: "text/plain",
    plain: representation(plain),
    ...(br === undefined ? {} : { br: representation(br) }),
    ...(gzip === undefined ? {} : { gzip: representation(gzip) }),
  };
};
const files = new Map([
  ["/index.html", file("page")],
  ["/ten.txt", file(TEXT)],
  ["/empty.txt", file("")],
  ["/copied.txt", file("plain", { br: "br", gzip: "gzip" })],
]);

function ask(url: string, headers: Record<string, string> = {}, method = "GET", policy: string | null = PAGE_POLICY) {
  const answer = answerTo({ files, policy, stamp: null }, { method, url, headers });
  return { status: answer.status, body: answer.body.toString(), headers: answer.headers };
}

describe("a range", () => {
  it.each([
    ["bytes=2-4", "234"],
    ["bytes=2-2", "2"],
    ["bytes=7-", "789"],
    ["bytes=-3", "789"],
    ["bytes=-5", "56789"],
    ["bytes=-100", TEXT],
    ["bytes=4-100", "456789"],
    ["BYTES=0-0", "0"],
    [`bytes=0-${"9".repeat(400)}`, TEXT],
  ])("%s of ten bytes brings %s", (range, text) => {
    const { status, body, headers } = ask("/ten.txt", { range });
    expect([status, body]).toEqual([206, text]);
    const first = TEXT.indexOf(text);
    expect(headers["Content-Range"]).toBe(`bytes ${first}-${first + text.length - 1}/10`);
  });

  it.each([
    "bytes=5-1",
    "bytes=",
    "bytes=-",
    "bytes=a-b",
    "bytes=1-2,4-5",
    "bytes=0-0, -1",
    "lines=1-2",
    "bytes 1-2",
    "1-2",
    "bytes=1-2-3",
    "bytes=1 -2",
  ])("%s is none that has to be cut out, so the whole is sent", (range) => {
    const { status, body, headers } = ask("/ten.txt", { range });
    expect([status, body, headers["Content-Range"]]).toEqual([200, TEXT, undefined]);
  });

  it.each(["bytes=10-", "bytes=10-12", "bytes=-0", `bytes=${"9".repeat(400)}-`])(
    "%s of ten bytes is refused with their number",
    (range) => {
      const { status, headers } = ask("/ten.txt", { range });
      expect([status, headers["Content-Range"]]).toEqual([416, "bytes */10"]);
    },
  );

  it("of a compressed copy is one of its bytes", () => {
    const { body, headers } = ask("/copied.txt", { range: "bytes=1-1", "accept-encoding": "br" });
    expect([body, headers["Content-Encoding"], headers["Content-Range"]]).toEqual(["r", "br", "bytes 1-1/2"]);
  });

  it("of an empty file is the file or refused", () => {
    expect(ask("/empty.txt", { range: "bytes=-5" }).status).toBe(200);
    expect(ask("/empty.txt", { range: "bytes=0-" }).status).toBe(416);
  });

  it("is left alone by HEAD", () => {
    expect(ask("/ten.txt", { range: "bytes=2-4" }, "HEAD").status).toBe(200);
  });

  it("is never outside the file, whatever is asked", () => {
    const piece = fc.tuple(fc.constantFrom("", "-"), fc.oneof(fc.nat(30), fc.bigInt({ min: 0n, max: 10n ** 30n })));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 3 }).map((list) => `bytes=${list.flat().join("")}`),
          fc.string(),
        ),
        fc.nat(20),
        (range, size) => {
          const found = readRange(range, size);
          if (found === "all" || found === null) return;
          expect(found.first).toBeGreaterThanOrEqual(0);
          expect(found.last).toBeGreaterThanOrEqual(found.first);
          expect(found.last).toBeLessThan(size);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("a condition", () => {
  const etag = `"${TEXT}"`;

  it.each([etag, `W/${etag}`, `"other", ${etag}`, "*"])("If-None-Match: %s is answered as unchanged", (value) => {
    const { status, body, headers } = ask("/ten.txt", { "if-none-match": value });
    expect([status, body, headers.ETag]).toEqual([304, "", etag]);
  });

  it.each(['"other"', "10", ""])("If-None-Match: %s brings the file", (value) => {
    expect(ask("/ten.txt", { "if-none-match": value })).toMatchObject({ status: 200, body: TEXT });
  });

  it("is about the copy that would be sent", () => {
    expect(ask("/copied.txt", { "if-none-match": '"br"', "accept-encoding": "br" }).status).toBe(304);
    expect(ask("/copied.txt", { "if-none-match": '"br"', "accept-encoding": "gzip" })).toMatchObject({ status: 200, body: "gzip" });
  });

  it("If-Range lets a range be cut only out of the very file it names", () => {
    expect(ask("/ten.txt", { range: "bytes=0-1", "if-range": etag }).status).toBe(206);
    for (const other of ['"other"', `W/${etag}`, "Sun, 22 Nov 2026 00:00:00 GMT"])
      expect(ask("/ten.txt", { range: "bytes=0-1", "if-range": other })).toMatchObject({ status: 200, body: TEXT });
  });

  it("If-Match that names another file is refused", () => {
    expect(ask("/ten.txt", { "if-match": etag }).status).toBe(200);
    expect(ask("/ten.txt", { "if-match": `W/${etag}` }).status).toBe(412);
  });
});

describe("the compressed copy", () => {
  it.each([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["*", "br"],
    ["*;q=0", "plain"],
    ["identity", "plain"],
    ["brotli, x-gzip", "plain"],
    ["BR", "br"],
    ["", "plain"],
  ])("for Accept-Encoding: %s is %s", (accepted, sent) => {
    const { body, headers } = ask("/copied.txt", { "accept-encoding": accepted });
    expect([body, headers.Vary]).toEqual([sent, "Accept-Encoding"]);
  });
});

describe("an address", () => {
  it.each(["/", "/rollouts", "/index.html", "/?a=1", "http://localhost:4173/train", "/#x"])("%s gives the page", (url) => {
    expect(ask(url)).toMatchObject({ status: 200, body: "page" });
  });

  it.each([
    "/assets/gone.js",
    "/gone.wasm",
    "/models/none",
    "/a/b",
    "//",
    "/../ten.txt",
    "/x/../ten.txt",
    "/%2e%2e/ten.txt",
    "/ten.txt%00",
  ])("%s gives no file, in plain text", (url) => {
    const { status, body, headers } = ask(url);
    expect([status, body, headers["Content-Type"]]).toEqual([404, "not found\n", "text/plain;charset=utf-8"]);
  });

  it.each(["", "*", "ten.txt", "/%", "/%E0%A4%A", "ftp://host/ten.txt"])("%j is none", (url) => {
    expect(ask(url).status).toBe(400);
  });

  it("may be written with escapes", () => {
    expect(ask("/%74en%2Etxt").body).toBe(TEXT);
  });
});

describe("every answer", () => {
  it.each([
    ["/", "GET", {}],
    ["/gone.js", "GET", {}],
    ["/%", "GET", {}],
    ["/", "PUT", {}],
    ["/ten.txt", "GET", { range: "bytes=99-" }],
    ["/ten.txt", "GET", { "if-none-match": "*" }],
  ])("to %s by %s carries the policy, forbids framing and sends no referrer", (url, method, headers) => {
    expect(ask(url, headers, method).headers).toMatchObject({
      "Content-Security-Policy": `${PAGE_POLICY}; frame-ancestors 'none'`,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
  });

  it("forbids framing where the page carries no policy", () => {
    expect(ask("/", {}, "GET", null).headers["Content-Security-Policy"]).toBe("frame-ancestors 'none'");
  });

  it("lets a single figure, and nothing else, stand in the frame of a slide", () => {
    expect(ask("/?embed=ratio&hide=all").headers["Content-Security-Policy"]).toBe(PAGE_POLICY);
    expect(ask("/?preset=embed").headers["Content-Security-Policy"]).toBe(`${PAGE_POLICY}; frame-ancestors 'none'`);
  });
});
