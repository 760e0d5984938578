import * as tf from "@tensorflow/tfjs";
import { describe, expect, it } from "vitest";
import { createTfjsBackend } from "../../../src/model/composed/tfjsBackend.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { criticConfig } from "../../support/liveBackend.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { readExpected, readReferenceModel } from "../../support/referenceFolder.ts";
import { allLogprobs, difference, fixedGradients, linearObjective, randomGroups, sharpWeights } from "../../support/tokenBatches.ts";

const adam = { kind: "adamw", learningRate: 1e-3, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0.01, maxGradNorm: 1 } as const;

describe("tensor memory", () => {
  it("holds as many tensors after 50 steps of sampling, scoring and updating as before", async () => {
    const backend = await createTfjsBackend(criticConfig, "wasm", createNodeHost());
    await backend.setWeights("policy", sharpWeights(criticConfig, 1));
    await backend.setWeights("reference", sharpWeights(criticConfig, 1));
    const groups = randomGroups(criticConfig, 2, 2, 2);
    const batch = packGroups(groups, 1);
    const gradients = fixedGradients(batch, 3, ["logprobs", "entropies", "values"]);
    const filters = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [4] };
    const uniforms_BT = new Float32Array(12).fill(0.4);
    const step = async (broken: boolean) => {
      await sampleCompletions(backend, {
        prompts: groups.map(({ promptTokens }) => promptTokens),
        copies: 2,
        maxNewTokens: 3,
        ...filters,
        uniforms_BT,
      });
      await backend.score(batch, "reference");
      const objective = linearObjective(gradients, true);
      await backend.accumulate(
        batch,
        (scores, range) => ({ ...objective(scores, range), ...(broken ? { logprobs_K: scores.logprobs_K.fill(Number.NaN) } : {}) }),
        16,
      );
      await backend.step(adam);
    };
    await step(false);
    const before = tf.memory().numTensors;
    for (let i = 0; i < 50; i++) await step(i === 25);
    expect(tf.memory().numTensors).toBe(before);
    backend.dispose();
  });

  it("holds keys and values between turns, and none once the sequences are closed", async () => {
    const backend = await createTfjsBackend(criticConfig, "wasm", createNodeHost());
    await backend.setWeights("policy", sharpWeights(criticConfig, 1));
    const before = tf.memory().numTensors;
    const open = backend.open({ prompts: [[1, 2], [3]], promptOf_B: Int32Array.of(0, 0, 1), expectedTokens: 8 });
    const turn = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [], maxNewTokens: 3, uniforms_BT: new Float32Array(9) };
    await open.sample({ ...turn, sequences_B: Int32Array.of(0, 1, 2) });
    const between = tf.memory().numTensors;
    expect(between).toBe(before + 2 * criticConfig.layers);
    open.extend(2, [4, 5]);
    await open.sample({ ...turn, sequences_B: Int32Array.of(1, 2) });
    expect(tf.memory().numTensors).toBe(between);
    open.close();
    expect(tf.memory().numTensors).toBe(before);
    backend.dispose();
  });

  it("holds none after dispose", async () => {
    const before = tf.memory().numTensors;
    const backend = await createTfjsBackend(criticConfig, "wasm", createNodeHost());
    await backend.setWeights("reference", sharpWeights(criticConfig, 1));
    const batch = packGroups(randomGroups(criticConfig, 2, 1, 2), 1);
    await backend.accumulate(batch, linearObjective(fixedGradients(batch, 3, ["values"]), true), 64);
    expect(tf.memory().numTensors).toBeGreaterThan(before);
    backend.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe("createTfjsBackend", () => {
  it("says that WebGPU is missing where it is", async () => {
    await expect(createTfjsBackend(criticConfig, "webgpu", createNodeHost())).rejects.toThrow("WebGPU is not available here");
  });
});

interface LogitsFile {
  readonly inputIds: readonly (readonly number[])[];
  readonly logits: readonly (readonly (readonly number[])[])[];
}

describe("a bfloat16 folder", () => {
  it("gives transformers' log-probs at every position on WASM", async () => {
    const { config, weights_N } = await readReferenceModel("llama-bf16");
    const { inputIds, logits } = await readExpected<LogitsFile>("llama-bf16");
    const backend = await createTfjsBackend(config, "wasm", createNodeHost());
    await backend.setWeights("policy", weights_N);
    const contexts = inputIds.flatMap((ids) => ids.map((_, t) => ids.slice(0, t + 1)));
    const logprobs = await allLogprobs(backend, contexts);
    for (const [i, row] of logits.flat().entries()) {
      const norm = Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
      expect(
        difference(
          logprobs[i]!,
          row.map((logit) => logit - norm),
        ).largest,
      ).toBeLessThan(5e-5);
    }
    backend.dispose();
  });
});
