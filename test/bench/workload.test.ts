// Sizes, operations and the amount of work each peer is given.
import { describe, expect, it } from "vitest";
import { conversationBatch } from "../../bench/measure/conversations.ts";
import { decodeRequest, drawData, trainBatch } from "../../bench/measure/inputs.ts";
import { sweepSteps } from "../../bench/measure/sweep.ts";
import { decodeFlops, SIZE_IDS, trainFlops, transformerOf, type Workload, workloadOf } from "../../bench/measure/workload.ts";
import { pythonRequest } from "../../bench/peers/start/startPython.ts";
import { parameterLayout } from "../../src/model/transformerConfig.ts";

/** Multiply-adds of a forward pass counted matrix by matrix from the model's own layout, attention in full. */
function forwardMultiplyAdds(size: (typeof SIZE_IDS)[number]): number {
  const workload = workloadOf(size);
  const config = transformerOf(workload);
  const matrices = parameterLayout(config).filter(({ shape }) => shape.length === 2);
  // The tied embedding is multiplied once, as the head.
  const weights = matrices.reduce((sum, matrix) => sum + matrix.size, 0);
  let attention = 0;
  for (let layer = 0; layer < config.layers; layer++)
    for (let head = 0; head < config.heads; head++) attention += 2 * workload.length ** 2 * config.headSize;
  return workload.batch * (workload.length * weights + attention);
}

describe("the operations of a workload", () => {
  it.each(SIZE_IDS)("of an update are three forward passes, counted matrix by matrix: %s", (size) => {
    expect(trainFlops(workloadOf(size))).toBe(3 * 2 * forwardMultiplyAdds(size));
  });

  it("are 1.84, 11.3 and 63.2 billion for an update of the three sizes", () => {
    expect(SIZE_IDS.map((size) => (trainFlops(workloadOf(size)) / 1e9).toPrecision(3))).toEqual(["1.84", "11.3", "63.2"]);
  });

  it("of a rollout are those of a forward pass without the keys that are not there yet", () => {
    for (const size of SIZE_IDS) {
      const workload = workloadOf(size);
      const { batch, length, hiddenSize, layers } = workload;
      const later = 4 * batch * ((length * (length - 1)) / 2) * hiddenSize * layers;
      expect(decodeFlops(workload) + later).toBe(2 * forwardMultiplyAdds(size));
    }
  });
});

describe("the operations of conversations", () => {
  const talk = { batch: 6, length: 8, promptTokens: 5, group: 3, turns: 2, inserted: 3 };
  const workload: Workload = { ...workloadOf("tiny"), batch: talk.batch, length: talk.length, conversations: talk };
  const batch = conversationBatch({ ...talk, vocabularySize: 512 });

  it("are those of the rows, the keys and the scored tokens of the batch that an update trains on", () => {
    const { hiddenSize: D, intermediateSize: F, layers, vocabularySize: V } = workload;
    const keys = batch.segmentLength_S.reduce((sum, length, s) => {
      const prefix = batch.segmentPrefix_S[s]!;
      return sum + length * (length + (prefix < 0 ? 0 : batch.segmentLength_S[prefix]!));
    }, 0);
    const weights = batch.tokens_N.length * layers * (4 * D * D + 3 * D * F) + batch.scoreTarget_K.length * V * D;
    expect(trainFlops(workload)).toBe(3 * (2 * weights + 4 * keys * D * layers));
  });

  it("score what turns sample and nothing that is inserted between them", () => {
    expect(batch.scoreTarget_K).toHaveLength(6 * 8);
    expect(batch.tokens_N).toHaveLength(2 * 5 + 6 * (8 + 3 - 1));
  });

  it("of a rollout are fewer by the keys that are not there yet", () => {
    const rows = 8 + 3 - 1;
    const later = (4 * 6 * workload.hiddenSize * workload.layers * (rows * (rows - 1))) / 2;
    expect(decodeFlops(workload) + later).toBe(trainFlops(workload) / 3);
  });

  it("are asked of PyTorch too, which is told the prompts and their groups", () => {
    expect(pythonRequest("decode", 1, { engine: "pytorch", runtime: "python", threads: 1 }, workload)).toMatchObject({
      conversations: talk,
    });
  });
});

describe("the work of the peers", () => {
  const workload = { ...workloadOf("tiny"), batch: 3, length: 5 };
  const data = drawData(workload);

  it("is one row and one scored token for each of batch x length in an update, no row shared", () => {
    const batch = trainBatch(data);
    expect(batch.tokens_N).toHaveLength(15);
    expect(batch.scoreTarget_K).toHaveLength(15);
    expect([...new Set(batch.scoreRow_K)]).toHaveLength(15);
    expect(batch.unitSequence_U).toHaveLength(4);
  });

  it("is batch x length sampled tokens from prompts of one token, without an end", () => {
    const request = decodeRequest(workload, data);
    expect(request.prompts.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(request.copies * request.prompts.length * request.maxNewTokens).toBe(15);
    expect(request.stopTokens).toEqual([]);
    expect(request.uniforms_BT).toHaveLength(15);
  });

  it("names the same batch, length and widths to PyTorch", () => {
    const request = pythonRequest("train", 2, { engine: "pytorch", runtime: "python", threads: 2 }, workload);
    const { batch, length, ...widths } = workload;
    expect(request).toEqual({ do: "train", repeats: 2, threads: 2, compiled: false, size: widths, batch, length });
  });

  it("covers every axis of the sweep with heads that divide the width", () => {
    const steps = sweepSteps(false);
    expect(new Set(steps.map(({ axis }) => axis))).toEqual(new Set(["width", "layers", "batch", "length", "group", "turns", "context"]));
    for (const step of steps) expect(step.workload.hiddenSize % step.workload.heads).toBe(0);
    expect(steps.filter(({ workload: at }) => trainFlops(at) === trainFlops(workloadOf("small"))).map(({ axis }) => axis)).toEqual([
      "width",
      "layers",
      "batch",
      "length",
    ]);
  });
});
