// The shipped preset's real step on the project's own engine, as it is trained (prompts shared, no
// padding) and as the same tokens cost a trainer that repeats every prompt and pads every sequence.

import { createNodeHost } from "../../src/cli/nodeHost.ts";
import type { Objective, PackedBatch } from "../../src/model/backend.ts";
import { type Model, modelHere } from "../../src/model/model.ts";
import type { RunConfig } from "../../src/protocol/config.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { presets } from "../../src/train/catalog.ts";
import type { Host } from "../../src/train/host.ts";
import { buildTransformer } from "../../src/train/start/model.ts";
import { openPlan } from "../../src/train/start/openedPlan.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { packGroups, type TokenGroup } from "../../src/train/step/update/batch.ts";
import { cutGroups } from "../../src/train/step/update/cutGroups.ts";
import type { PresetResult } from "../report/result.ts";
import { median, summarize } from "../report/statistics.ts";
import { OPTIMIZER } from "./inputs.ts";
import { packPadded } from "./padded.ts";

const PRESET = "boxed-arithmetic";

/** The gradient that GRPO's first inner step has: -advantage / tokens at real tokens, 0 at padding. */
function meanObjective(batch: PackedBatch, lengths_Q: readonly number[], advantages_Q: readonly number[]): Objective {
  const tokens = lengths_Q.reduce((sum, length) => sum + length, 0);
  return ({ logprobs_K }, { firstSequence, lastSequence, firstToken }) => {
    const gradient_K = new Float32Array(logprobs_K.length);
    for (let q = firstSequence; q < lastSequence; q++) {
      const start = batch.sequenceStart_Q[q]! - firstToken;
      gradient_K.fill(-advantages_Q[q]! / tokens, start, start + lengths_Q[q]!);
    }
    return { logprobs_K: gradient_K, entropies_K: null, values_K: null };
  };
}

async function isShipped(host: Host, checkpoint: string): Promise<boolean> {
  try {
    await host.readAsset(`models/${checkpoint}/config.json`);
    return true;
  } catch {
    return false;
  }
}

interface Prepared {
  readonly config: RunConfig;
  readonly model: Model;
  readonly prompts: readonly (readonly number[])[];
  readonly stopTokens: readonly number[];
  readonly start: string;
}

/** The preset's first problems and its model; random weights of the default shape where no checkpoint is shipped yet. */
async function prepare(threads: number): Promise<Prepared> {
  const host = createNodeHost();
  const preset = presets.find(({ id }) => id === PRESET);
  if (!preset) throw new Error(`internal: there is no preset ${PRESET}`);
  const given = planRun({ config: preset.config }).config;
  const shipped = await isShipped(host, given.checkpoint);
  const planned = planRun({ config: { ...preset.config, backend: "wasm", threads, ...(shipped ? {} : { startFrom: "random" }) } });
  const plan = await openPlan(planned, host);
  const { renderer } = plan;
  const { model } = await buildTransformer(plan, host, { onPreparing: () => {}, pause: async () => {}, onLost: () => {} });
  const examples = plan.instance.trainLoader().next(plan.config.promptsPerStep);
  const prompts = examples.map((example) => renderer.renderPrompt(plan.instance.envs.build(example, 0).start()));
  const start = shipped
    ? `checkpoint ${given.checkpoint}`
    : "random weights of the default shape (no checkpoint is shipped): completions run to the limit";
  return { config: plan.config, model: modelHere(model), prompts, stopTokens: renderer.stopTokens, start };
}

/** Groups as sampled: copies of prompt p are sequences [p * copies, (p + 1) * copies). */
function groupsOf(
  prompts: Prepared["prompts"],
  copies: number,
  tokens_BT: Int32Array,
  lengths_B: Int32Array,
  T: number,
): readonly TokenGroup[] {
  return prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: copies }, (_, i) => {
      const b = p * copies + i;
      return Array.from(tokens_BT.subarray(b * T, b * T + lengths_B[b]!));
    }),
  }));
}

/** Times both ways, round by round. Throws where they disagree about the tokens or the gradient. */
export async function measurePresetStep(threads: number, rounds: number): Promise<PresetResult> {
  const { config, model, prompts, stopTokens, start } = await prepare(threads);
  const { groupSize: copies, maxCompletionTokens: T, temperature, topK, topP, minP } = config;
  const random = new Random(config.seed);
  const uniforms_BT = Float32Array.from({ length: prompts.length * copies * T }, () => random.uniform());
  const request = { maxNewTokens: T, temperature, topK, topP, minP, stopTokens, uniforms_BT };
  const repeated = prompts.flatMap((prompt) => Array.from({ length: copies }, () => prompt));
  const sample = (shared: boolean) =>
    sampleCompletions(model.policy(), shared ? { ...request, prompts, copies } : { ...request, prompts: repeated, copies: 1 });

  const { tokens_BT, lengths_B } = await sample(true);
  const again = await sample(false);
  if (again.tokens_BT.some((token, i) => token !== tokens_BT[i]))
    throw new Error("internal: shared and repeated prompts gave different tokens");
  const groups = groupsOf(prompts, copies, tokens_BT, lengths_B, T);
  const lengths_Q = groups.flatMap(({ completions }) => completions.map(({ length }) => length));
  const advantages_Q = lengths_Q.map(() => random.normal());
  const packed = packGroups(cutGroups(groups, config.microBatchTokens), temperature);
  const padded = packPadded(groups, stopTokens[0] ?? 0, temperature);
  // Learning rate 0: every round sees the same weights, so all gradients can be compared.
  const optimizer = { ...OPTIMIZER, learningRate: 0, weightDecay: 0 };
  const update = (batch: PackedBatch) => {
    const objective = meanObjective(batch, lengths_Q, advantages_Q);
    return model.update({ batch, objective, exactKlCoef: 0, optimizer, microBatchTokens: config.microBatchTokens });
  };
  const norms = [(await update(packed)).gradNorm, (await update(padded)).gradNorm] as const;
  if (Math.abs(norms[0] / norms[1] - 1) > 1e-3) throw new Error(`internal: gradient norms differ: packed ${norms[0]}, padded ${norms[1]}`);

  const ms = { shared: [] as number[], unshared: [] as number[], packed: [] as number[], padded: [] as number[] };
  const time = async (into: number[], work: () => Promise<unknown>) => {
    const before = performance.now();
    await work();
    into.push(performance.now() - before);
  };
  for (let round = 0; round < rounds; round++) {
    await time(ms.shared, () => sample(true));
    await time(ms.packed, () => update(packed));
    await time(ms.unshared, () => sample(false));
    await time(ms.padded, () => update(padded));
  }
  model.dispose();
  return {
    preset: PRESET,
    start,
    threads,
    prompts: prompts.length,
    copies,
    rows: { packed: packed.tokens_N.length, padded: padded.tokens_N.length },
    sample: { shared: summarize(ms.shared), unshared: summarize(ms.unshared) },
    update: { packed: summarize(ms.packed), padded: summarize(ms.padded) },
    speedUp: median(ms.shared.map((_, i) => (ms.unshared[i]! + ms.padded[i]!) / (ms.shared[i]! + ms.packed[i]!))),
  };
}
