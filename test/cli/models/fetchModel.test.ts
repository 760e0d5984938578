// Models are fetched from a server that answers as the hub does, and as networks do: it sends on to another address, cuts
// off, knows no ranges, is busy, sends something else, or has no such model.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchModel } from "../../../src/cli/models/fetchModel.ts";
import { diskFolder } from "../../../src/cli/models/modelPlaces.ts";
import { readModelFolder, writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { readGguf } from "../../../src/model/folder/gguf.ts";
import { ggufConfig, ggufTokenizer, ggufTokenizerConfig } from "../../../src/model/folder/ggufModel.ts";
import { writeSafetensors } from "../../../src/model/folder/safetensors.ts";
import { parameterLayout } from "../../../src/model/transformerConfig.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { COMMIT, type HubServer, startHubServer } from "../../support/hubServer.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const weights_N = sharpWeights(foreignConfig, 2);
const gguf = ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "F16");
const header = readGguf(gguf);
const safetensors = writeModelFolder(foreignConfig, weights_N, { dtype: "F16", ids: { bos: null, eos: 2, pad: 2 } });
const bytes = (text: string) => new TextEncoder().encode(text);
const TEXTS: ReadonlyMap<string, Uint8Array> = new Map([
  ["config.json", bytes(ggufConfig(header))],
  ["tokenizer.json", bytes(ggufTokenizer(header))],
  ["tokenizer_config.json", bytes(ggufTokenizerConfig(header))],
]);
const WEIGHTS = safetensors.find(({ name }) => name === "model.safetensors")!.bytes;
const FILES = new Map([["README.md", bytes("not wanted")], ...TEXTS, ["model.safetensors", WEIGHTS] as const]);
const progress = { tell() {}, doing() {}, at() {}, end() {} };

/** The same weights in two shards with their index. */
function shards(): ReadonlyMap<string, Uint8Array> {
  const layout = parameterLayout(foreignConfig);
  const names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
  const of = (half: number) => layout.filter((_, i) => Math.floor((2 * i) / layout.length) === half);
  const files = names.map((name, half) => {
    const tensors = of(half).map(
      ({ name, shape, offset, size }) => [name, { shape, data: weights_N.subarray(offset, offset + size) }] as const,
    );
    return [name, writeSafetensors(new Map(tensors), { dtype: "F16" })] as const;
  });
  const weight_map = Object.fromEntries(names.flatMap((name, half) => of(half).map((slice) => [slice.name, name])));
  return new Map([...TEXTS, ["model.safetensors.index.json", bytes(JSON.stringify({ weight_map }))], ...files]);
}

let folder: string;
let server: HubServer;

async function serve(files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await server?.close();
  server = await startHubServer(files);
  process.env.HF_ENDPOINT = server.base;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollout-lab-fetch-"));
  await serve(FILES);
});
afterEach(async () => {
  delete process.env.HF_ENDPOINT;
  delete process.env.HF_TOKEN;
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

const fetchTiny = (source = "lab/tiny") => fetchModel({ source, models: folder, name: undefined, progress });
const brought = () => readFileSync(join(folder, "tiny", "model.safetensors"));
const ranges = () => server.asked.filter(({ path }) => path.startsWith("/elsewhere")).map(({ range }) => range);

describe("fetching a model", () => {
  it("asks the hub what the model is and brings what is wanted of its commit, with a key where there is one", async () => {
    process.env.HF_TOKEN = "hf_secret";
    const found = await fetchTiny("lab/tiny@v2.1");
    expect(found).toMatchObject({ name: "tiny", model: "lab/tiny@v2.1", from: "lab/tiny@v2.1", path: join(folder, "tiny") });
    expect(readdirSync(found.path).toSorted()).toEqual([...TEXTS.keys(), "model.safetensors", "source.json"].toSorted());
    const origin = { repository: "lab/tiny", revision: "v2.1", commit: COMMIT, licence: "mit" };
    expect(JSON.parse(readFileSync(join(found.path, "source.json"), "utf8"))).toEqual(origin);
    expect([...brought()]).toEqual([...WEIGHTS]);
    expect(server.asked[0]).toMatchObject({ path: "/api/models/lab/tiny/revision/v2.1?blobs=true", key: "Bearer hf_secret" });
  });

  it("brings weights in shards with their index", async () => {
    await serve(shards());
    const { path, parameters } = await fetchTiny();
    expect(parameters).toBe(weights_N.length);
    const { weights_N: read_N } = await readModelFolder(diskFolder(path));
    expect(Math.max(...read_N.map((value, i) => Math.abs(value - weights_N[i]!)))).toBeLessThan(1e-3);
  });

  it("goes on where an answer broke off, and passes over what is there where the server knows no ranges", async () => {
    for (const knowsNoRanges of [false, true]) {
      server.behaviour = { cuts: { times: 2, bytes: 4000 }, knowsNoRanges };
      await fetchTiny();
      expect([...brought()]).toEqual([...WEIGHTS]);
      expect(ranges()).toContain("bytes=4000-");
      rmSync(join(folder, "tiny"), { recursive: true });
    }
  });

  it("goes on at the next call with what came of the same commit, and begins anew with what came of another", async () => {
    const part = join(folder, "tiny.part");
    const begin = (commit: string, weights: Uint8Array) => {
      mkdirSync(part, { recursive: true });
      writeFileSync(join(part, "source.json"), JSON.stringify({ repository: "lab/tiny", revision: "main", commit, licence: null }));
      writeFileSync(join(part, "model.safetensors.part"), weights);
    };
    begin(COMMIT, WEIGHTS.subarray(0, 3000));
    await fetchTiny();
    expect(ranges()).toEqual(["bytes=3000-"]);
    expect([...brought()]).toEqual([...WEIGHTS]);
    rmSync(join(folder, "tiny"), { recursive: true });
    begin("f".repeat(40), new Uint8Array(3000));
    await fetchTiny();
    expect(ranges().at(-1)).toBeUndefined();
    expect([...brought()]).toEqual([...WEIGHTS]);
  });

  it("refuses weights whose SHA-256 is not the hub's, and brings them anew at the next call", async () => {
    const other = WEIGHTS.slice();
    other[5000] = (other[5000]! + 1) % 256;
    server.behaviour = { promises: new Map([...FILES, ["model.safetensors", other]]) };
    await expect(fetchTiny()).rejects.toThrow(/^model\.safetensors came damaged: its SHA-256 must be [0-9a-f]{64}, got [0-9a-f]{64}$/);
    expect(readdirSync(join(folder, "tiny.part"))).not.toContain("model.safetensors");
    server.behaviour = {};
    await fetchTiny();
    expect([...brought()]).toEqual([...WEIGHTS]);
  });

  it.each(["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"])(
    "keeps no page of a network as %s",
    async (name) => {
      const names = new RegExp(`^${name.replace(".", "\\.")}$`);
      for (const body of ["<html>Sign in</html>", "<!doctype html>".padEnd(FILES.get(name)!.length, " ")])
        for (const type of ["text/html", "application/json"]) {
          server.behaviour = { portal: { body, type, names, times: 1 } };
          await expect(fetchTiny()).rejects.toThrow(`${name} did not come: a page came in its place`);
          expect(readdirSync(join(folder, "tiny.part"))).not.toContain(name);
        }
      server.behaviour = { portal: { body: "{".padEnd(FILES.get(name)!.length, " "), names, times: 1 } };
      await expect(fetchTiny()).rejects.toThrow(/^\S+ came damaged: its (SHA-256|SHA-1 in git) must be [0-9a-f]+, got [0-9a-f]+$/);
      const { path } = await fetchTiny();
      for (const [file, bytes] of [...FILES].slice(1))
        expect(new Uint8Array(readFileSync(join(path, file)))).toEqual(new Uint8Array(bytes));
    },
  );

  it("tries again where the server is busy, and says what it answered where that does not help", async () => {
    server.behaviour = { busy: [503, 503] };
    await expect(fetchTiny()).resolves.toMatchObject({ parameters: weights_N.length });
    await expect(fetchTiny("lab/tiny@gone")).rejects.toThrow("tiny is there already: choose another --name, or remove it");
    rmSync(join(folder, "tiny"), { recursive: true });
    await expect(fetchTiny("lab/tiny@gone")).rejects.toThrow("lab/tiny@gone is not there (404): check owner, name and revision");
    expect(readdirSync(folder)).toEqual(["tiny.part"]);
  });

  it("makes no model of what cannot be one", async () => {
    await serve(new Map([...FILES, ["model.safetensors", WEIGHTS.subarray(0, 4000)]]));
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
    await expect(fetchTiny(join(folder, "gone.gguf"))).rejects.toThrow("gone.gguf cannot be read: it is not there");
  });
});
