// What the browser keeps of a model: nothing lies under a content's hash but that content, whatever the network sent and wherever a
// write failed.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeModelFolder } from "../../src/model/folder/checkpoint.ts";
import { foreignConfig } from "../support/foreignModel.ts";
import { type HubServer, sha256Of, startHubServer } from "../support/hubServer.ts";
import { modelFiles } from "../support/modelFiles.ts";
import { sharpWeights } from "../support/tokenBatches.ts";

const written = writeModelFolder(foreignConfig, sharpWeights(foreignConfig, 2), { dtype: "F16", ids: { bos: null, eos: 2, pad: 2 } });
const bytesOf = (name: string) => new Uint8Array(written.find((file) => file.name === name)!.bytes);
const FILES = new Map<string, Uint8Array>([
  ["config.json", bytesOf("config.json")],
  ["tokenizer.json", new TextEncoder().encode('{"model":{}}')],
  ["model.safetensors", bytesOf("model.safetensors")],
]);
const PAGE = "<!doctype html><title>Sign in</title>";

let server: HubServer;
let announceModel: typeof import("../../workers/models/announce.ts").announceModel;
let bringModel: typeof import("../../workers/models/bring.ts").bringModel;
let kept: typeof import("../../workers/models/keptFiles.ts");
let contents: typeof import("../../workers/models/contents.ts");
let access: { base: string; sleep(ms: number): Promise<void> };
beforeAll(async () => {
  const announce = await import("../../workers/models/announce.ts");
  ({ announceModel } = announce);
  access = (await import("../../workers/models/hubAccess.ts")).hub as typeof access;
  ({ bringModel } = await import("../../workers/models/bring.ts"));
  kept = await import("../../workers/models/keptFiles.ts");
  contents = await import("../../workers/models/contents.ts");
});
const before = { sleep: null as unknown };
beforeEach(async () => {
  server = await startHubServer(FILES);
  before.sleep ??= access.sleep;
  Object.assign(access, { base: server.base, sleep: async () => {} });
});
afterEach(() => server.close());
afterAll(() => Object.assign(access, before));

/** Files that lie under a hash are that content. */
const areSound = ({ files }: { readonly files: ReadonlyMap<string, Uint8Array> }) =>
  [...files].every(([name, bytes]) => !/^[0-9a-f]{64}$/.test(name) || name === sha256Of(bytes));
const announce = (folder: FileSystemDirectoryHandle) => announceModel(folder, "tiny", "lab/tiny", "main");
type Model = Awaited<ReturnType<typeof announce>>;
async function bring(folder: FileSystemDirectoryHandle, model: Model) {
  let last = model;
  const keep = async (next: Model) => {
    last = next;
    await kept.writeList(folder, [next]);
  };
  await bringModel(folder, model, { keep, onBytes: () => {}, signal: new AbortController().signal });
  return last;
}

describe("a model of the hub", () => {
  it.each([...FILES.keys()])("is not looked at where a page comes in the place of %s, and is at the next try", async (name) => {
    const held = modelFiles();
    for (const type of ["text/html", "text/plain"]) {
      server.behaviour = { portal: { body: PAGE.padEnd(70_000, " "), type, names: new RegExp(`^${name}$`), times: 2 } };
      await expect(announce(held.folder)).rejects.toThrow(/a page came in its place|safetensors: |must have \d+ bytes/);
      expect(areSound(held)).toBe(true);
    }
    server.behaviour = {};
    const { files } = await bring(held.folder, await announce(held.folder));
    for (const file of files) expect(held.files.get(file.sha256!)).toEqual(FILES.get(file.name));
  });

  it("is not brought where a page comes in the place of weights, and goes on behind what was there", async () => {
    const held = modelFiles();
    const model = await announce(held.folder);
    const weights = FILES.get("model.safetensors")!;
    held.files.set("tiny~model.safetensors", weights.slice(0, 4000));
    for (const [body, type] of [
      [PAGE, "text/html"],
      [PAGE.padEnd(weights.length, "x"), "application/octet-stream"],
      [PAGE.padEnd(10 * weights.length, "x"), "text/html"],
    ] as const) {
      server.behaviour = { portal: { body, type, names: /safetensors/, times: 1 } };
      await expect(bring(held.folder, model)).rejects.toThrow("a page came in its place");
      expect(held.files.get("tiny~model.safetensors")).toHaveLength(4000);
    }
    expect((await bring(held.folder, model)).files.every(({ sha256 }) => sha256 !== null)).toBe(true);
    expect(server.asked.at(-1)!.range).toBe("bytes=4000-");
    expect(areSound(held)).toBe(true);
  });

  it("that came damaged leaves nothing to go on with", async () => {
    const held = modelFiles();
    const model = await announce(held.folder);
    held.files.set("tiny~model.safetensors", new Uint8Array(4000));
    await expect(bring(held.folder, model)).rejects.toThrow(/came damaged: its SHA-256 must be/);
    expect(held.files.get("tiny~model.safetensors")).toHaveLength(0);
    await bring(held.folder, model);
    expect(areSound(held)).toBe(true);
  });
});

describe("a content", () => {
  it.each([
    ["the storage is full", { hasWritable: true, room: 5 }],
    ["the browser cannot write so", { hasWritable: false, room: 1e9 }],
  ])("leaves nothing under its hash where %s, and comes once it can", async (_, { hasWritable, room }) => {
    const held = Object.assign(modelFiles({ hasWritable }), { room });
    const bytes = new TextEncoder().encode("some content");
    await contents.keepBytes(held.folder, bytes).catch(() => {});
    expect(areSound(held)).toBe(true);
    const other = modelFiles();
    await contents.keepBytes(other.folder, bytes);
    expect(other.files.get(sha256Of(bytes))).toEqual(bytes);
  });

  it("takes the place of an empty or a cut file that lies under its hash", async () => {
    const held = modelFiles();
    const bytes = new TextEncoder().encode("some content");
    for (const left of [new Uint8Array(0), bytes.slice(0, 5)]) {
      held.files.set(sha256Of(bytes), left);
      await contents.keepBytes(held.folder, bytes);
      expect(held.files.get(sha256Of(bytes))).toEqual(bytes);
      held.files.set(sha256Of(bytes), left);
      await contents.copyIn(held.folder, "part", new Blob([bytes]), () => {});
      expect(held.files.get(sha256Of(bytes))).toEqual(bytes);
    }
    expect([...held.files.keys()]).toEqual([sha256Of(bytes)]);
  });

  it("that is gone or cut was not brought, and its model is brought anew", async () => {
    const held = modelFiles();
    const whole = await bring(held.folder, await announce(held.folder));
    const weights = whole.files.find(({ name }) => name === "model.safetensors")!.sha256!;
    held.files.set(weights, new Uint8Array(0));
    const [found] = await kept.readList(held.folder);
    expect(found!.files.filter(({ sha256 }) => sha256 === null).map(({ name }) => name)).toEqual(["model.safetensors"]);
    await bring(held.folder, found!);
    expect(held.files.get(weights)).toEqual(FILES.get("model.safetensors"));
  });

  it("that a failed request left is swept", async () => {
    const held = modelFiles();
    held.files.set("gone~model.gguf", new Uint8Array(10));
    held.files.set("tiny~model.safetensors", new Uint8Array(10));
    await kept.sweep(held.folder, [await announce(held.folder)]);
    expect(held.files.has("gone~model.gguf")).toBe(false);
    expect(held.files.has("tiny~model.safetensors")).toBe(true);
  });
});
