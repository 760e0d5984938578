// Steps of a pretrained model on a graphics card: ours on WebGPU beside PyTorch with PEFT on CUDA, in turns on the same
// card, both in single precision. The first size is the tab's; the second fills a card better.
import { openNodeGpu } from "../../../src/cli/nodeGpu.ts";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { initialAdapters } from "../../../src/model/lora/adapters.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import type { GpuStep, GpuSteps, StepSeconds } from "../../report/result.ts";
import { ADAPTED, type Base, ownStep, resultOf, SHAPE, type StepWork, startPeft, TAB_STEP } from "./work.ts";

const SIZES: readonly StepWork[] = [TAB_STEP, { prompts: 8, promptTokens: 64, copies: 8, newTokens: 128, microBatchTokens: 4096 }];
const CHECKED_TOKENS = 32;

/** One size: a step of each that is not counted, then turns. */
async function measureSize(backend: TransformerBackend, work: StepWork, rounds: number): Promise<GpuStep> {
  const peft = await startPeft(work, 1, "cuda");
  const random = new Random(1);
  const [own, torch]: [StepSeconds[], StepSeconds[]] = [[], []];
  try {
    for (let round = 0; round <= rounds; round++) {
      const ours = await ownStep(backend, work, random);
      const theirs = typeof peft === "string" ? null : await peft.step();
      if (round === 0) continue;
      own.push(ours);
      if (theirs) torch.push(theirs);
    }
  } finally {
    if (typeof peft !== "string") peft.close();
  }
  return { work, ...resultOf(own, torch, peft) };
}

/** The largest difference, in nats, between a sampled token's log-prob as the sampler and as the scorer of the same weights have it. */
async function samplerApart(backend: TransformerBackend): Promise<number> {
  const prompts = [
    [504, 3671, 314],
    [1780, 314],
  ];
  const random = new Random(7);
  const uniforms_BT = Float32Array.from({ length: 2 * CHECKED_TOKENS }, () => random.uniform());
  const rule = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const { tokens_BT, logprobs_BT } = await sampleCompletions(backend, {
    ...{ prompts, copies: 1, maxNewTokens: CHECKED_TOKENS, ...rule, uniforms_BT },
  });
  const rows = prompts.map((_, b) => Array.from(tokens_BT.subarray(b * CHECKED_TOKENS, (b + 1) * CHECKED_TOKENS)));
  const { logprobs_K } = await backend.score(
    packGroups(
      prompts.map((promptTokens, b) => ({ promptTokens, completions: [rows[b]!] })),
      1,
    ),
    "policy",
  );
  return logprobs_K.reduce((most, value, k) => Math.max(most, Math.abs(value - logprobs_BT[k]!)), 0);
}

/** Throws where Node finds no GPU. */
export async function measureGpuSteps(adapter: string, { tensors }: Base, rounds: number): Promise<GpuSteps> {
  const { gpu, obstacle } = await openNodeGpu();
  if (!gpu) throw new Error(obstacle ?? "internal: no GPU and no reason");
  const backend = await createWebgpuBackend(SHAPE, { gpu }, { onLost: () => {}, frozen: { tensors, adapted: ADAPTED } });
  try {
    await backend.setWeights("policy", initialAdapters(ADAPTED, null, new Random(1)));
    const apart = await samplerApart(backend);
    const steps: GpuStep[] = [];
    for (const work of SIZES) steps.push(await measureSize(backend, work, rounds));
    return { adapter, apart, steps };
  } finally {
    backend.dispose();
  }
}
