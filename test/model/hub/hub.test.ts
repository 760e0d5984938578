// The hub is asked what a model is, and its files come whatever the network does on the way: by plain GETs alone.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { downloadTo } from "../../../src/model/hub/download.ts";
import { describeHubModel, fileAddress, type HubAccess } from "../../../src/model/hub/hub.ts";
import { COMMIT, type HubServer, sha256Of, startHubServer } from "../../support/hubServer.ts";

const weights = Uint8Array.from({ length: 50_000 }, (_, i) => (i * 7) % 256);
const text = (content: string) => new TextEncoder().encode(content);
const files = new Map([
  ["README.md", text("not wanted")],
  ["config.json", text("{}")],
  ["tokenizer.json", text("{}")],
  ["tokenizer_config.json", text("{}")],
  ["model.safetensors", weights],
  ["onnx.bin", weights],
]);

let server: HubServer;
let access: HubAccess;
beforeEach(async () => {
  server = await startHubServer(files);
  access = { fetch, sleep: async () => {}, base: server.base };
});
afterEach(() => server.close());

/** Brings the weights, of which `begun` bytes are there. */
async function bring(begun = 0, bytes: number = weights.length, signal?: AbortSignal, isPromised = true) {
  const got = new Uint8Array(weights.length);
  got.set(weights.subarray(0, begun));
  const told: number[] = [];
  const sink = { begun, write: (chunk: Uint8Array, at: number) => got.set(chunk, at), restart: () => void got.fill(0) };
  const url = fileAddress(server.base, { repository: "lab/tiny", commit: COMMIT }, "model.safetensors");
  const options = {
    what: "the weights",
    bytes,
    isPromised,
    onBytes: (done: number) => told.push(done),
    ...(signal ? { signal } : {}),
  };
  await downloadTo(access, url, sink, options);
  return { got, told };
}
const ranges = () => server.asked.filter(({ path }) => path.startsWith("/elsewhere")).map(({ range }) => range);

describe("a model of the hub", () => {
  it("is described by its commit, licence and the files that are wanted, with sizes and hashes", async () => {
    const model = await describeHubModel(access, "lab/tiny", "main");
    expect(model).toMatchObject({ commit: COMMIT, licence: "mit", repository: "lab/tiny", revision: "main" });
    expect(model.files.map(({ name }) => name)).toEqual(["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"]);
    expect(model.files.at(-1)).toEqual({ name: "model.safetensors", bytes: 50_000, sha256: sha256Of(weights) });
  });

  it.each([
    [401, "lab/tiny@main may not be read without a key (401): there is none of that name, it is private, or its terms must be accepted"],
    [403, "may not be read without a key (403): it is private, or its terms must be accepted on the hub first"],
    [404, "lab/tiny@main is not there (404): check owner, name and revision"],
    [429, "lab/tiny@main was asked for too often (429): try again in some minutes"],
    [503, "lab/tiny@main cannot be read: the server answered 503"],
  ])("that is answered with %i is refused in a sentence", async (status, sentence) => {
    server.behaviour = { denies: status };
    await expect(describeHubModel(access, "lab/tiny", "main")).rejects.toThrow(sentence);
    // What may pass is asked for again.
    expect(server.asked).toHaveLength(status === 429 || status === 503 ? 4 : 1);
  });

  it("without weights or a tokenizer is refused with what is missing", async () => {
    const described = async (names: readonly string[]) => {
      const other = await startHubServer(new Map(names.map((name) => [name, text("{}")])));
      return describeHubModel({ ...access, base: other.base }, "lab/tiny", "main").finally(() => other.close());
    };
    await expect(described(["config.json", "tokenizer.json"])).rejects.toThrow("lab/tiny has no weights in safetensors");
    await expect(described(["config.json", "x.gguf"])).rejects.toThrow("lab/tiny has no tokenizer.json: download one of its GGUF files");
    const shards = ["model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
    const { files: wanted } = await described(["config.json", "tokenizer.json", "pytorch_model.bin", ...shards]);
    expect(wanted.map(({ name }) => name)).toEqual(["config.json", "tokenizer.json", ...shards]);
  });
});

describe("a file of the hub", () => {
  it("comes by plain GETs over a redirect", async () => {
    expect((await bring()).got).toEqual(weights);
    expect(new Set(server.asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(ranges()).toEqual([undefined]);
  });

  it("goes on behind what is there, and again where it is cut off", async () => {
    server.behaviour = { cuts: { times: 2, bytes: 8_000 } };
    const { got, told } = await bring(10_000);
    expect(got).toEqual(weights);
    expect(ranges()).toEqual(["bytes=10000-", "bytes=18000-", "bytes=26000-"]);
    expect(told.at(-1)).toBe(50_000);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  it("comes whole from a server that knows no ranges, and what is there is passed over", async () => {
    server.behaviour = { knowsNoRanges: true, cuts: { times: 1, bytes: 30_000 } };
    expect((await bring(20_000)).got).toEqual(weights);
  });

  it("waits while the server is busy", async () => {
    server.behaviour = { busy: [503, 429, 500] };
    expect((await bring()).got).toEqual(weights);
  });

  const PAGE = "<!DOCTYPE html><title>Sign in</title>".padEnd(3000, "x");
  it.each([
    ["that says so", { body: PAGE, type: "text/html; charset=utf-8" }],
    ["that says nothing", { body: `\n ${PAGE}` }],
  ])("is never begun or gone on with by a page in its place %s", async (_, page) => {
    for (const begun of [0, 10_000]) {
      server.behaviour = { portal: { ...page, times: 1, names: /./ } };
      await expect(bring(begun)).rejects.toThrow("the weights did not come: a page came in its place");
    }
  });

  it("of which no hash is known is joined of no two answers", async () => {
    server.behaviour = { portal: { body: "not the file", times: 1, names: /./ } };
    expect((await bring(0, weights.length, undefined, false)).got).toEqual(weights);
    server.behaviour = { cuts: { times: 2, bytes: 8_000 } };
    expect((await bring(10_000, weights.length, undefined, false)).got).toEqual(weights);
    expect(ranges().every((range) => range === undefined)).toBe(true);
    server.behaviour = { portal: { body: "not the file", times: 100, names: /./ } };
    await expect(bring(0, weights.length, undefined, false)).rejects.toThrow("broke off after 12 of 50000 bytes, again and again");
  });

  it("is gone on with from its beginning alone by an answer that is no part", async () => {
    server.behaviour = { portal: { body: "y".repeat(20_000), times: 1, names: /./ } };
    const { got } = await bring(10_000);
    // Joined with the rest of the file, which its hash then tells.
    expect(new TextDecoder().decode(got.subarray(0, 20_000))).toBe("y".repeat(20_000));
    expect(got.subarray(20_000)).toEqual(weights.subarray(20_000));
  });

  it("is not gone on with by a part of another place or of another file", async () => {
    const parts = (range: string) => ({
      ...access,
      fetch: async () => new Response(new Uint8Array(10), { status: 206, headers: { "content-range": range } }),
    });
    const sink = { begun: 10, write: () => {}, restart: () => {} };
    const options = { what: "the weights", bytes: 20, isPromised: true, onBytes: () => {} };
    await expect(downloadTo(parts("bytes 0-9/20"), "x", sink, options)).rejects.toThrow(
      "the weights must go on at byte 10 of 20, got a part from byte 0 of 20",
    );
    await expect(downloadTo(parts("bytes 10-19/4000"), "x", sink, options)).rejects.toThrow("got a part from byte 10 of 4000");
    await expect(downloadTo(parts("bytes 10-19/20"), "x", sink, options)).resolves.toBeUndefined();
  });

  it("that never comes to its end, or is longer than it was said to be, is refused", async () => {
    server.behaviour = { cuts: { times: 100, bytes: 0 } };
    await expect(bring()).rejects.toThrow("the weights broke off after 0 of 50000 bytes, again and again");
    server.behaviour = {};
    await expect(bring(0, 40_000)).rejects.toThrow("the weights must have 40000 bytes, got 50000");
  });

  it("stops where it is given up, and is all there already where nothing is missing", async () => {
    const given = new AbortController();
    given.abort();
    await expect(bring(0, weights.length, given.signal)).rejects.toThrow(/abort/i);
    server.asked.length = 0;
    expect((await bring(weights.length)).told).toEqual([]);
    expect(server.asked).toEqual([]);
  });
});
