// Plans of buffers at the limit of a binding: one made for requests of different kinds still fits, and
// one that is refused half-way leaves nothing behind.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDevice } from "../../../src/kernels/webgpu/device.ts";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { createEngine, type EngineLimits } from "../../../src/model/webgpu/engine.ts";
import { planSampling } from "../../../src/model/webgpu/sampling/samplingPlan.ts";
import { planScoring } from "../../../src/model/webgpu/scoring/scoringPlan.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { type SampleRequest, sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { shareDevice, sharedConfig } from "../../support/sharedGpu.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const { gpu, skip } = await gpuForTests();

const config: TransformerConfig = { ...sharedConfig, layers: 1 };
/** Room for 160 cache rows, 45 rows or 106 scored tokens. */
const limits: EngineLimits = { bindingBytes: 10_240 };

function request(prompts: number, length: number, copies: number, maxNewTokens: number): SampleRequest {
  const random = new Random(11);
  return {
    prompts: Array.from({ length: prompts }, () => Array.from({ length }, () => random.below(config.vocabularySize))),
    copies,
    maxNewTokens,
    ...{ temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] },
    uniforms_BT: Float32Array.from({ length: prompts * copies * maxNewTokens }, () => random.uniform()),
  };
}

describe.skipIf(skip !== undefined)(skip ? `webgpu sampling plans (skipped: ${skip})` : "webgpu sampling plans", () => {
  const shared = gpu ? shareDevice(gpu) : null;
  let whole: TransformerBackend;
  let limited: TransformerBackend;
  beforeAll(async () => {
    const open = (over: EngineLimits) => createWebgpuBackend(config, { gpu: shared?.gpu ?? null }, { onLost: () => undefined, ...over });
    whole = await open({});
    limited = await open(limits);
    for (const backend of [whole, limited]) await backend.setWeights("policy", sharpWeights(config, 5));
  });
  afterAll(() => {
    whole?.dispose();
    limited?.dispose();
    shared?.destroy();
  });

  it("hold a request of long completions after one of many prompts", async () => {
    const prompts = request(2, 20, 1, 2);
    const completions = request(1, 4, 7, 20);
    // 42 and 144 cache rows; the prompts of the one and the completions of the other are 180.
    expect(await sampleCompletions(limited, prompts)).toEqual(await sampleCompletions(whole, prompts));
    expect(await sampleCompletions(limited, completions)).toEqual(await sampleCompletions(whole, completions));
    expect(await sampleCompletions(limited, prompts)).toEqual(await sampleCompletions(whole, prompts));
  });

  it("hold as many sequences as a step has rows, not as it has scored tokens", async () => {
    const copies = request(1, 4, 100, 1);
    expect(await sampleCompletions(limited, copies)).toEqual(await sampleCompletions(whole, copies));
  });
});

describe.skipIf(skip !== undefined)(skip ? `refused webgpu plans (skipped: ${skip})` : "refused webgpu plans", () => {
  it("leave no buffer behind", async () => {
    const device = await openDevice(gpu);
    const live = new Set<string>();
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      live.add(descriptor.label ?? "");
      buffer.destroy = () => {
        live.delete(descriptor.label ?? "");
        return destroy();
      };
      return buffer;
    };
    const engine = createEngine(device, config, limits);
    const before = [...live];
    const sampling = planSampling(engine, "policy", { cacheRows: 108, rows: 8, sequences: 100, draws: 100, positions: 64 });
    await expect(sampling).rejects.toThrow("buffer row act needs 11200 bytes, this GPU allows 10240");
    expect([...live]).toEqual(before);
    const scoring = planScoring(engine, "policy", { rows: 46, scored: 8, positions: 64 }, true);
    await expect(scoring).rejects.toThrow("buffer gates 0 needs 10304 bytes, this GPU allows 10240");
    expect([...live]).toEqual(before);
    engine.destroy();
    device.destroy();
  });
});
