// The peer in plain TensorFlow.js computes the project's transformer and objective, so that its time is comparable.
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, it } from "vitest";
import { drawData } from "../../bench/measure/inputs.ts";
import { createPlainTfjsEngine } from "../../bench/peers/engines/plainTfjsEngine.ts";
import {
  initialPlainWeights,
  type PlainCache,
  type PlainWeights,
  plainDecodeStep,
  plainLoss,
} from "../../bench/peers/engines/plainTfjsModel.ts";
import { startTfjs } from "../../src/model/composed/tfjs.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { expectedLogprob, expectedLoss, flatPeerWeights, smallWorkload } from "./peerOracle.ts";

const read = (tensor: tf.Tensor) => Float32Array.from(tensor.dataSync());

function flatWeights({ embed, norm, layers }: PlainWeights): Float32Array {
  return flatPeerWeights({
    embed: read(embed),
    norm: read(norm),
    layers: layers.map(({ norm1, qkv, o, norm2, gateUp, down }) => ({
      norm1: read(norm1),
      qkv: read(qkv),
      o: read(o),
      norm2: read(norm2),
      gateUp: read(gateUp),
      down: read(down),
    })),
  });
}

describe("the peer in plain TensorFlow.js", () => {
  const { batch, length } = smallWorkload;
  const { tokens_BT, advantages_B } = drawData(smallWorkload);

  beforeAll(async () => {
    await startTfjs("wasm", createNodeHost());
  });

  it("has the clipped loss of the plain transformer on the same weights", () => {
    const weights = initialPlainWeights(smallWorkload);
    const ids = (from: number) =>
      tf.tensor1d(
        tokens_BT.flatMap((tokens) => tokens.slice(from, from + length)),
        "int32",
      );
    const loss = plainLoss(weights, smallWorkload, ids(0), ids(1), tf.tensor2d(advantages_B, [batch, 1]));
    expect(read(loss)[0]).toBeCloseTo(expectedLoss(flatWeights(weights)), 4);
  });

  it("decodes with its cache to the log-probs of the plain transformer", () => {
    const weights = initialPlainWeights(smallWorkload);
    const flat_N = flatWeights(weights);
    const seen = tokens_BT.map((tokens) => tokens.slice(0, 1));
    let tokens_B = tf.tensor1d(
      seen.map(([first]) => first!),
      "int32",
    );
    let cache: PlainCache[] | null = null;
    for (let t = 0; t < length; t++) {
      const next: ReturnType<typeof plainDecodeStep> = plainDecodeStep(weights, smallWorkload, tokens_B, t, cache);
      const [drawn, logprobs] = [next.tokens_B.dataSync(), read(next.logprobs_B)];
      for (const [b, sequence] of seen.entries()) {
        expect(logprobs[b]).toBeCloseTo(expectedLogprob(flat_N, sequence, drawn[b]!), 4);
        sequence.push(drawn[b]!);
      }
      ({ tokens_B, cache } = next);
    }
  });

  it("answers both phases again and again, and keeps no tensor", async () => {
    const engine = await createPlainTfjsEngine(smallWorkload, createNodeHost());
    await engine.train();
    await engine.decode();
    const { numTensors } = tf.memory();
    await engine.train();
    await engine.decode();
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});
