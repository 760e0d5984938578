// A checkpoint's files that are not what they should be: the start is refused by the file's name, whatever is wrong with it, and the
// engine starts the next run as if nothing had been asked.
import { describe, expect, it } from "vitest";
import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import { writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { initialWeights } from "../../../src/model/initialWeights.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { Random } from "../../../src/rl/random.ts";
import { driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";

const { readAsset } = createNodeHost();
const tokenizer = JSON.parse(new TextDecoder().decode(await readAsset("tokenizers/lab/tokenizer.json"))) as { model: { vocab: object } };
const shape: TransformerConfig = {
  ...{ vocabularySize: Object.keys(tokenizer.model.vocab).length, hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, headSize: 8 },
  ...{ intermediateSize: 32, ropeTheta: 10_000, rmsNormEps: 1e-5, tiedEmbeddings: true, qkvBias: false, headNorm: false },
  ...{ maxPositions: 512, valueHead: false },
};
const weights_N = await initialWeights(shape, new Random(1), async () => {});
const files = writeModelFolder(shape, weights_N, { dtype: "F32", ids: { bos: null, eos: 1, pad: 0 } });
const run = {
  ...{ task: "boxed-arithmetic", steps: 1, evalEvery: 0, evalProblems: 1, evalSamples: 1, promptsPerStep: 2, groupSize: 2 },
  ...{ maxCompletionTokens: 4, threads: 1 },
} as const;

type Spoil = (bytes: Uint8Array) => Uint8Array | null;

/** An engine whose shipped checkpoint is a small one, in which one file is spoiled for as long as somebody says so. */
async function engineWith(file: string, spoil: Spoil) {
  let isSpoiled = true;
  const session = await driveSession({
    readAsset: async (path) => {
      const [, name] = /^models\/base\/(.+)$/.exec(path) ?? [];
      // A folder without a tokenizer would be refused for that.
      if (!name || name.startsWith("tokenizer")) return readAsset(path);
      const found = files.find((each) => each.name === name)?.bytes;
      const bytes = found && name === file && isSpoiled ? spoil(found) : found;
      if (!bytes) throw new Error(`asset "${path}" is missing (404)`);
      return bytes;
    },
  });
  return {
    session,
    mend: () => {
      isSpoiled = false;
    },
  };
}

const weights = "model.safetensors";
const text =
  (change: (text: string) => string): Spoil =>
  (bytes) =>
    new TextEncoder().encode(change(new TextDecoder().decode(bytes)));

describe("a checkpoint's file", () => {
  it.each<[string, string, Spoil, string]>([
    ["cut short", weights, (bytes) => bytes.slice(0, bytes.length / 2), weights],
    ["cut short in its header", weights, (bytes) => bytes.slice(0, 40), weights],
    ["empty", weights, () => new Uint8Array(), weights],
    ["another file altogether", weights, text(() => "<!doctype html><title>no model</title>"), weights],
    ["missing", weights, () => null, weights],
    ["without a readable config.json", "config.json", text(() => "{ broken"), "config.json"],
    ["of another architecture", "config.json", text((config) => config.replaceAll("llama", "mamba").replaceAll("Llama", "Mamba")), "mamba"],
  ])("that is %s is refused by its name, and the next run trains", async (_, file, spoil, named) => {
    const { session, mend } = await engineWith(file, spoil);
    const refused = await session.send({ type: "start", runId: "spoiled", config: run }).catch((error: Error) => error.message);
    expect(refused).toContain(named);
    expect(refused).not.toMatch(/undefined|NaN|\[object/);
    expect(session.all("state").at(-1)?.state ?? "idle").toBe("idle");
    mend();
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "whole", config: run });
    await finished;
    expect(session.all("steps").flatMap(({ records }) => records)).toHaveLength(1);
  });
});
