// Model folders of test/reference, with numbers computed from them by transformers.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readModelFolder, type TransformerWeights } from "../../src/model/folder/checkpoint.ts";

/** expected.json of hf-llama-*: the sequences and all that transformers computes from them. */
export interface ReferenceNumbers {
  readonly inputIds: readonly (readonly number[])[];
  readonly logitsLastPosition: readonly (readonly number[])[];
  readonly tokenLogprobs: readonly (readonly number[])[];
  readonly tokenEntropies: readonly (readonly number[])[];
  readonly mask: readonly (readonly number[])[];
  readonly weights: readonly (readonly number[])[];
  readonly loss: number;
  readonly gradGlobalNorm: number;
  readonly grads: Readonly<Record<string, readonly number[]>>;
  readonly greedyContinuation: { readonly prompt: readonly number[]; readonly continuation: readonly number[] };
  readonly adamw: {
    readonly lr: number;
    readonly betas: readonly [number, number];
    readonly eps: number;
    readonly weightDecay: number;
    readonly maxGradNorm: number;
    readonly lossBeforeEachStep: readonly number[];
    readonly tokenLogprobsAfter3: readonly (readonly number[])[];
  };
}

const referencePath = (path: string) => fileURLToPath(new URL(`../reference/${path}`, import.meta.url));

/** Weights and config of a folder of test/reference. */
export const readReferenceModel = (folder: string): Promise<TransformerWeights> =>
  readModelFolder(async (name) => new Uint8Array(await readFile(referencePath(`${folder}/${name}`))));

/** Its expected.json, trusted to have the given form. */
export async function readExpected<T>(folder: string): Promise<T> {
  return JSON.parse(await readFile(referencePath(`${folder}/expected.json`), "utf8")) as T;
}
