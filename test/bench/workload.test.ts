// Sizes, operations and the amount of work each peer is given.
import { describe, expect, it } from "vitest";
import { decodeRequest, drawData, trainBatch } from "../../bench/measure/inputs.ts";
import { sweepSteps } from "../../bench/measure/sweep.ts";
import { decodeFlops, SIZE_IDS, trainFlops, transformerOf, workloadOf } from "../../bench/measure/workload.ts";
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
    expect(new Set(steps.map(({ axis }) => axis))).toEqual(new Set(["width", "layers", "batch", "length"]));
    for (const step of steps) expect(step.workload.hiddenSize % step.workload.heads).toBe(0);
    expect(steps.filter(({ workload: at }) => trainFlops(at) === trainFlops(workloadOf("small"))).map(({ axis }) => axis)).toEqual([
      "width",
      "layers",
      "batch",
      "length",
    ]);
  });
});
