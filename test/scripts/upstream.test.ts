// The key of a model's server: whatever form a server or a proxy gives it back in, it is covered sign by sign.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openUpstream } from "../../scripts/serve/upstream.mjs";

let said: Buffer;
let type = "application/json";
const server = createServer((_, response) => void response.writeHead(500, { "content-type": type }).end(said));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

async function answered(key: string, answer: string | Buffer): Promise<Buffer> {
  said = Buffer.from(answer);
  const { port } = server.address() as AddressInfo;
  const upstream = openUpstream(`http://127.0.0.1:${port}`, "--url", key);
  const { bytes } = await upstream.send({ method: "GET", path: "healthz", signal: AbortSignal.timeout(10_000) });
  return Buffer.from(bytes);
}

const KEY = "tml-Very+secret/key=&<é>%41";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const everySign = (form: (code: number) => string) => [...Buffer.from(KEY)].map(form).join("");
const hex = (code: number) => code.toString(16).padStart(2, "0");

const FORMS: Readonly<Record<string, string>> = {
  "as it is": KEY,
  "in base64": base64(KEY),
  "in base64 behind one byte": base64(`:${KEY}`),
  "in base64 within a header": base64(`user:${KEY} and more`),
  "in the base64 of addresses": Buffer.from(`x${KEY}x`).toString("base64url"),
  "in base64 in an address": encodeURIComponent(base64(KEY)),
  "in base64 with slashes escaped": base64(`..${KEY}`).replaceAll("/", "\\/"),
  "in an address": encodeURIComponent(KEY),
  "in an address of small letters": encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase()),
  "in an address twice": encodeURIComponent(encodeURIComponent(KEY)),
  "with every sign escaped in an address": everySign((code) => `%${hex(code)}`),
  "in hexadecimal digits": Buffer.from(KEY).toString("hex").toUpperCase(),
  "in JSON": JSON.stringify(KEY).slice(1, -1).replaceAll("/", "\\/"),
  "with every sign escaped in JSON": everySign((code) => `\\u00${hex(code)}`),
  "in HTML": KEY.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  "with every sign escaped in HTML": everySign((code) => `&#${code};`),
};

describe("the key of a model's server is covered", () => {
  it.each(Object.entries(FORMS))("%s", async (_, form) => {
    const text = (await answered(KEY, `{"detail":"before ${form} behind"}`)).toString();
    // What base64 has of others beside the key stays.
    expect(text).toMatch(/^\{"detail":"before [\w%=]{0,9}\*+[\w%=]{0,12} behind"\}$/);
    expect(text.split("*").length).toBeGreaterThan(KEY.length);
  });

  it("in the name of a form, and where blanks are around it in the environment", async () => {
    const { port } = server.address() as AddressInfo;
    const key = KEY.replace("é", "e");
    const upstream = openUpstream(`http://127.0.0.1:${port}`, "--url", `${key}\n`);
    said = Buffer.from(key);
    type = `text/plain; key=${encodeURIComponent(key)}`;
    const answer = await upstream.send({ method: "GET", path: "healthz", signal: AbortSignal.timeout(10_000) });
    expect([answer.type, Buffer.from(answer.bytes).toString()]).toEqual([
      expect.stringMatching(/^text\/plain; key=\*+$/),
      expect.stringMatching(/^\*+$/),
    ]);
    type = "application/json";
  });

  it("whatever it is and stands in, and nothing else of the bytes changes", async () => {
    const signs = fc.string({ unit: fc.constantFrom(..."abcXYZ0189-_.+/=~"), minLength: 12, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(signs, fc.uint8Array({ maxLength: 30 }), fc.uint8Array({ maxLength: 30 }), async (key, before, behind) => {
        const whole = Buffer.concat([before, Buffer.from(key), behind]);
        const text = (await answered(key, whole.toString("base64"))).toString();
        expect(text.length).toBe(whole.toString("base64").length);
        expect(Buffer.from(text.replaceAll("*", "A"), "base64").includes(key)).toBe(false);
        const numbers = Buffer.concat([Buffer.from(before), Buffer.from(behind)]);
        expect(await answered(key, numbers)).toEqual(numbers);
      }),
      { numRuns: 30 },
    );
  });
});
