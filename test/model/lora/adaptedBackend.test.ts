// Adapters beside a frozen base: PEFT's numbers on every backend that runs here, and what the numbers do not say.
import { describe, expect, it } from "vitest";
import { createTfjsBackend } from "../../../src/model/composed/tfjsBackend.ts";
import { adaptedBackend } from "../../../src/model/lora/adaptedBackend.ts";
import { adaptedLayout, initialAdapters } from "../../../src/model/lora/adapters.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { criticConfig, tiedConfig } from "../../support/liveBackend.ts";
import { describeLora, mergedOver } from "../../support/loraSuite.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { fixedGradients, linearObjective, randomGroups, sharpWeights } from "../../support/tokenBatches.ts";

const onKernels = (config: TransformerConfig) => createKernelBackend(config, { threads: 2 });
const composed = (config: TransformerConfig) => createTfjsBackend(config, "wasm", createNodeHost());
describeLora("own kernels", mergedOver(onKernels), onKernels);
describeLora("TensorFlow.js on WASM", mergedOver(composed), composed);

const lora = { rank: 2, alpha: 4, rankStabilized: false, targets: ["q_proj", "down_proj"] } as const;
const adam = { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 } as const;

describe("adapters over a frozen base", () => {
  it("are drawn as PEFT draws them, and change nothing at first", async () => {
    const adapted = adaptedLayout(tiedConfig, lora);
    const base_N = sharpWeights(tiedConfig, 5);
    const start_N = initialAdapters(adapted, base_N, new Random(3));
    expect(adapted.layout.slice(0, 2)).toEqual([
      { name: "model.layers.0.self_attn.q_proj.lora_A.weight", shape: [2, 16], trainable: true, offset: 0, size: 32 },
      { name: "model.layers.0.self_attn.q_proj.lora_B.weight", shape: [16, 2], trainable: true, offset: 32, size: 32 },
    ]);
    for (const { name, shape, offset, size } of adapted.layout) {
      const values = start_N.subarray(offset, offset + size);
      const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const bound = name.includes("lora_A") ? 1 / Math.sqrt(shape[1]!) : 0;
      expect(largest).toBeLessThanOrEqual(bound);
      if (bound > 0) expect(largest).toBeGreaterThan(0.8 * bound);
    }
    const whole = await createKernelBackend(tiedConfig, { threads: 1 });
    const batch = packGroups(randomGroups(tiedConfig, 3, 2, 3), 1);
    await whole.setWeights("policy", base_N);
    const before = await whole.score(batch, "policy");
    const backend = adaptedBackend(whole, adapted, base_N);
    await backend.setWeights("policy", start_N);
    expect(await backend.score(batch, "policy")).toEqual(before);
    backend.dispose();
  });

  it("train a value head as it is, beside them", async () => {
    const adapted = adaptedLayout(criticConfig, lora);
    const base_N = sharpWeights(criticConfig, 5);
    const backend = adaptedBackend(await createKernelBackend(criticConfig, { threads: 1 }), adapted, base_N);
    const head = adapted.layout.find(({ name }) => name === "value_head.weight")!;
    const start_N = initialAdapters(adapted, base_N, new Random(3));
    const headOf = (values: Float32Array) => values.slice(head.offset, head.offset + head.size);
    expect(headOf(start_N).every((value) => value !== 0)).toBe(true);
    await backend.setWeights("policy", start_N);
    const batch = packGroups(randomGroups(criticConfig, 3, 2, 3), 1);
    await backend.accumulate(batch, linearObjective(fixedGradients(batch, 4, ["logprobs", "values"]), true), 4096);
    await backend.step(adam);
    const moved_N = await backend.getWeights("policy");
    expect(headOf(moved_N).every((value, i) => value !== headOf(start_N)[i])).toBe(true);
    backend.dispose();
  });

  it("refuse a gradient that is not finite: nothing changes and it is cleared", async () => {
    const adapted = adaptedLayout(tiedConfig, lora);
    const base_N = sharpWeights(tiedConfig, 5);
    const backend = adaptedBackend(await createKernelBackend(tiedConfig, { threads: 1 }), adapted, base_N);
    await backend.setWeights("policy", initialAdapters(adapted, base_N, new Random(3)));
    const [weights_N, optimizer] = [await backend.getWeights("policy"), await backend.getOptimizer()];
    const batch = packGroups(randomGroups(tiedConfig, 3, 2, 3), 1);
    const infinite = ({ logprobs_K }: { readonly logprobs_K: Float32Array }) => logprobs_K.map(() => Number.POSITIVE_INFINITY);
    await backend.accumulate(batch, (scores) => ({ logprobs_K: infinite(scores), entropies_K: null, values_K: null }), 4096);
    expect((await backend.step(adam)).gradNorm).toBeNaN();
    expect(await backend.getWeights("policy")).toEqual(weights_N);
    expect(await backend.getOptimizer()).toEqual(optimizer);
    expect((await backend.getGradient()).every((value) => value === 0)).toBe(true);
    backend.dispose();
  });
});
