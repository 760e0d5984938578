// Models are fetched from a server that answers as the hub does, and as networks do: it sends on to another host, cuts
// off, knows no ranges, is busy, or has no such model.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchModel } from "../../../src/cli/models/fetchModel.ts";
import { writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { readGguf } from "../../../src/model/folder/gguf.ts";
import { ggufConfig, ggufTokenizer, ggufTokenizerConfig } from "../../../src/model/folder/ggufModel.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const weights_N = sharpWeights(foreignConfig, 2);
const gguf = ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "F16");
const header = readGguf(gguf);
const safetensors = writeModelFolder(foreignConfig, weights_N, { dtype: "F16", ids: { bos: null, eos: 2, pad: 2 } });
const bytes = (text: string) => new TextEncoder().encode(text);
const FILES: Readonly<Record<string, Uint8Array>> = {
  "config.json": bytes(ggufConfig(header)),
  "tokenizer.json": bytes(ggufTokenizer(header)),
  "tokenizer_config.json": bytes(ggufTokenizerConfig(header)),
  "model.safetensors": safetensors.find(({ name }) => name === "model.safetensors")!.bytes,
};
const progress = { tell() {}, doing() {}, at() {}, end() {} };

let folder: string;
let asked: { readonly path: string; readonly range: string | undefined; readonly key: string | undefined }[];
let answer: (request: IncomingMessage, response: ServerResponse, file: Uint8Array) => void;
let address: string;
let stop: () => Promise<void>;

/** The whole file, or the part that is asked for. */
function send(request: IncomingMessage, response: ServerResponse, file: Uint8Array): void {
  const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
  response.writeHead(from > 0 ? 206 : 200, {
    "content-length": file.length - from,
    ...(from > 0 ? { "content-range": `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
  });
  response.end(file.subarray(from));
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollout-lab-fetch-"));
  asked = [];
  answer = send;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    asked.push({ path: pathname, range: request.headers.range, key: request.headers.authorization });
    const hub = /^\/lab\/tiny\/resolve\/([\w.-]+)\/([\w.]+)$/.exec(pathname);
    const file = FILES[hub?.[2] ?? pathname.slice("/elsewhere/".length)];
    if (!file || hub?.[1] === "gone") return void response.writeHead(404).end();
    // Weights lie on another host, as the hub has them.
    if (hub?.[2] === "model.safetensors") return void response.writeHead(302, { location: "/elsewhere/model.safetensors" }).end();
    return answer(request, response, file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.HF_ENDPOINT = address;
  stop = () => new Promise((resolve) => server.close(() => resolve()));
});
afterEach(async () => {
  delete process.env.HF_ENDPOINT;
  delete process.env.HF_TOKEN;
  rmSync(folder, { recursive: true, force: true });
  await stop();
});

const fetchTiny = (source = "lab/tiny") => fetchModel({ source, models: folder, name: undefined, progress });
const brought = () => readFileSync(join(folder, "tiny", "model.safetensors"));

describe("fetching a model", () => {
  it("brings the files of the revision, sent on to another host, with a key where there is one", async () => {
    process.env.HF_TOKEN = "hf_secret";
    const found = await fetchTiny("lab/tiny@v2.1");
    expect(found).toMatchObject({ name: "tiny", model: "lab/tiny@v2.1", from: "lab/tiny@v2.1", path: join(folder, "tiny") });
    expect(readdirSync(found.path).toSorted()).toEqual([...Object.keys(FILES), "source.json"].toSorted());
    expect(JSON.parse(readFileSync(join(found.path, "source.json"), "utf8"))).toMatchObject({ repository: "lab/tiny", revision: "v2.1" });
    expect([...brought()]).toEqual([...FILES["model.safetensors"]!]);
    expect(asked[0]).toEqual({ path: "/lab/tiny/resolve/v2.1/config.json", range: undefined, key: "Bearer hf_secret" });
  });

  it("goes on where an answer broke off, and begins anew where the server knows no ranges", async () => {
    for (const knowsRanges of [true, false]) {
      let breaks = 2;
      answer = (request, response, file) => {
        const isWhole = !knowsRanges && request.headers.range !== undefined;
        if (file.length < 5000 || breaks-- <= 0) return send(isWhole ? ({ headers: {} } as IncomingMessage) : request, response, file);
        response.writeHead(200, { "content-length": file.length });
        // What was written is on its way before the connection goes.
        response.write(file.subarray(0, 4000), () => setTimeout(() => response.destroy(), 100));
      };
      await fetchTiny();
      expect([...brought()]).toEqual([...FILES["model.safetensors"]!]);
      expect(asked.some(({ range }) => range === "bytes=4000-")).toBe(true);
      rmSync(join(folder, "tiny"), { recursive: true });
    }
  });

  it("tries again where the server is busy, and says what it answered where that does not help", async () => {
    let busy = 2;
    answer = (request, response, file) => (busy-- > 0 ? void response.writeHead(503).end() : send(request, response, file));
    await expect(fetchTiny()).resolves.toMatchObject({ parameters: weights_N.length });
    await expect(fetchTiny("lab/tiny@gone")).rejects.toThrow("tiny is there already: choose another --name, or remove it");
    rmSync(join(folder, "tiny"), { recursive: true });
    await expect(fetchTiny("lab/tiny@gone")).rejects.toThrow("/resolve/gone/config.json answered 404: there is no such file");
    expect(readdirSync(folder)).toEqual(["tiny.part"]);
  });

  it("makes no model of what cannot be one", async () => {
    answer = (request, response, file) => send(request, response, file.length > 5000 ? file.subarray(0, 4000) : file);
    await expect(fetchTiny()).rejects.toThrow(/^lab\/tiny cannot be used: model\.safetensors: safetensors: /);
    expect(readdirSync(folder)).toEqual(["tiny.part"]);
    await expect(fetchTiny("tiny")).rejects.toThrow("fetch needs OWNER/NAME of a model on the hub, or the path of a GGUF file, got tiny");
  });

  it("takes a GGUF file as a model with its own tokenizer", async () => {
    const path = join(folder, "Own.gguf");
    writeFileSync(path, gguf);
    const found = await fetchTiny(path);
    expect(found).toMatchObject({ name: "own", parameters: weights_N.length });
    expect(readdirSync(found.path).toSorted()).toEqual(["config.json", "model.gguf", "tokenizer.json", "tokenizer_config.json"]);
    writeFileSync(path, gguf.subarray(0, 3000));
    await expect(fetchModel({ source: path, models: folder, name: "cut", progress })).rejects.toThrow("gguf: ");
  });
});
