// Weights are read from their files in parts: of a file its header, then one tensor after the other, whatever the format
// and however many files they lie in; and what is damaged is refused in a sentence.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readModelFolder, readStoredFolder, writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { openGguf, readGguf } from "../../../src/model/folder/gguf.ts";
import { ggufConfig } from "../../../src/model/folder/ggufModel.ts";
import { fileOf, type ModelFolder } from "../../../src/model/folder/modelFolder.ts";
import { readSafetensors, writeSafetensors } from "../../../src/model/folder/safetensors.ts";
import { widenedWeights } from "../../../src/model/lora/frozenBase.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { tries } from "../../support/long.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const weights_N = sharpWeights(foreignConfig, 4);
const files = new Map(
  writeModelFolder(foreignConfig, weights_N, { dtype: "F32", ids: { bos: 1, eos: 2, pad: 0 } }).map((file) => [file.name, file.bytes]),
);
const whole = files.get("model.safetensors")!;
const largest = Math.max(...[...readSafetensors(whole).values()].map(({ data }) => data.byteLength));
const bytes = (text: string) => new TextEncoder().encode(text);

/** The weights in three files and the index that names them. */
function sharded(): Map<string, Uint8Array> {
  const shards = [new Map(), new Map(), new Map()] as Map<string, { shape: readonly number[]; data: Float32Array }>[];
  const weight_map: Record<string, string> = {};
  for (const [i, [name, tensor]] of [...readSafetensors(whole)].entries()) {
    shards[i % 3]!.set(name, tensor);
    weight_map[name] = `model-0000${(i % 3) + 1}-of-00003.safetensors`;
  }
  return new Map([
    ["config.json", files.get("config.json")!],
    ["model.safetensors.index.json", bytes(JSON.stringify({ metadata: {}, weight_map }))],
    ...shards.map((shard, i) => [`model-0000${i + 1}-of-00003.safetensors`, writeSafetensors(shard, { dtype: "F32" })] as const),
  ]);
}

/** A folder that tells how much each read brought. */
function counted(held: ReadonlyMap<string, Uint8Array>): { readonly folder: ModelFolder; readonly reads: number[] } {
  const reads: number[] = [];
  const folder: ModelFolder = {
    async open(name) {
      const found = held.get(name);
      if (!found) throw new Error(`${name} is missing`);
      const file = fileOf(found);
      return {
        size: file.size,
        read(begin, end) {
          reads.push(end - begin);
          return file.read(begin, end);
        },
      };
    },
  };
  return { folder, reads };
}

describe("weights in files", () => {
  it.each([
    ["one file", new Map(files)],
    ["shards", sharded()],
  ])("of safetensors in %s are read tensor by tensor", async (_where, held) => {
    const { folder, reads } = counted(held);
    expect((await readModelFolder(folder)).weights_N).toEqual(weights_N);
    expect(Math.max(...reads)).toBe(largest);
    reads.length = 0;
    const { tensors } = await readStoredFolder(folder);
    // Until somebody wants a tensor, headers alone were read.
    expect(reads.reduce((sum, read) => sum + read, 0)).toBeLessThan(largest);
    expect([...tensors.values()].every((tensor) => tensor.bytes.length === 0)).toBe(true);
    expect(await widenedWeights(foreignConfig, tensors)).toEqual(weights_N);
  });

  it("of GGUF are read behind a header of which no more is read than is needed", async () => {
    const gguf = ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "F32", { "general.description": "x".repeat(2 ** 21) });
    const { folder, reads } = counted(
      new Map([
        ["config.json", bytes(ggufConfig(readGguf(gguf)))],
        ["model.gguf", gguf],
      ]),
    );
    const padded = { size: 2 ** 40, read: async (begin: number, end: number) => gguf.slice(begin, end) };
    expect((await openGguf(padded)).tensors).toEqual(readGguf(gguf).tensors);
    expect((await readModelFolder(folder)).weights_N).toEqual(weights_N);
    expect(reads.slice(0, 3)).toEqual([files.size && reads[0], 2 ** 21, gguf.length]);
  });

  it("refuse an index that cannot be one, and a tensor that is in two shards", async () => {
    const index = (text: string) => counted(new Map([...sharded(), ["model.safetensors.index.json", bytes(text)]])).folder;
    await expect(readModelFolder(index("{"))).rejects.toThrow("model.safetensors.index.json: not JSON");
    await expect(readModelFolder(index('{"weight_map":{"a":"../secret"}}'))).rejects.toThrow("must be the name of a file");
    await expect(readModelFolder(index('{"weight_map":{"a":"gone.safetensors"}}'))).rejects.toThrow("gone.safetensors is missing");
    const twice = sharded();
    twice.set("model-00002-of-00003.safetensors", twice.get("model-00001-of-00003.safetensors")!);
    await expect(readModelFolder(counted(twice).folder)).rejects.toThrow(
      /model-00002-of-00003\.safetensors: tensor ".*" is in another shard already/,
    );
  });

  it("that are damaged or cut anywhere before their values end in one sentence, 500 times in the long run", async () => {
    const held = sharded();
    const names = [...held.keys()];
    const headerOf = (name: string) =>
      name.endsWith(".json") ? held.get(name)!.length : 8 + Number(new DataView(held.get(name)!.buffer).getBigUint64(0, true));
    const damage = fc.record({
      name: fc.constantFrom(...names),
      at: fc.nat(1e6),
      by: fc.integer({ min: 1, max: 255 }),
      isCut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ name, at, by, isCut }) => {
        const file = held.get(name)!.slice();
        const place = at % (isCut ? file.length : headerOf(name));
        if (!isCut) file[place]! ^= by;
        const { folder } = counted(new Map([...held, [name, isCut ? file.subarray(0, place) : file]]));
        const said = await readModelFolder(folder).then(
          () => null,
          (error: unknown) => error,
        );
        // A changed letter may leave a valid file, such as in a name of its metadata.
        if (said === null) return;
        expect(said).toBeInstanceOf(Error);
        expect((said as Error).message).toMatch(/^(config\.json|model[\w.-]*): |is missing$/);
        expect((said as Error).message.length).toBeLessThan(400);
      }),
      { numRuns: tries(120, 500) },
    );
  });
});
