// The objective on the tape of the model against the same objective handed over as numbers.
import * as tf from "@tensorflow/tfjs";
import { describe, expect, it } from "vitest";
import type { Objective, PackedBatch, SequenceRange, TokenScores, TransformerBackend } from "../../src/model/backend.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "../../src/protocol/config.ts";
import { type FixedInput, objectiveTotals, tokenObjective } from "../../src/rl/objective.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/batch.ts";
import { tokenGradients } from "../../src/train/step/objectiveInput.ts";
import { type CreateBackend, criticConfig, useBackend } from "./liveBackend.ts";
import { difference, randomGroups } from "./tokenBatches.ts";

const batch = packGroups(randomGroups(criticConfig, 31, 3, 3), 1.25);

/** One of each: surrogates, levels, aggregations, masks and terms. */
const SETTINGS: Readonly<Record<string, RunConfigInput>> = {
  "GRPO with KL": { klCoef: 0.1, klEstimator: "k3+", aggregation: "sequence-mean" },
  "GSPO with an entropy bonus": { ratioLevel: "sequence", entropyCoef: 0.1, clipLow: 0.01, clipHigh: 0.02 },
  "PPO with a critic": { advantageBaseline: "critic", dualClip: 3, aggregation: "token-mean", valueCoef: 0.5, valueClip: 0.1 },
  "CISPO over the top entropies": { surrogate: "cispo", topEntropyQuantile: 0.5, aggregation: "micro-token-mean" },
  "SAPO off policy": { surrogate: "sapo", offPolicyThreshold: 0.01, aggregation: "constant-length" },
  "VESPO with a moving weight": { surrogate: "vespo", vespoFixedWeight: false, aggregation: "sequence-sum" },
};

/** Everything but the scores: sampling log-probs near the present ones, random advantages, a fifth of the tokens untrained. */
function randomTerms(scores: TokenScores, config: RunConfig): FixedInput {
  const random = new Random(32);
  const near = (values_K: Float32Array, spread: number) => values_K.map((value) => value + spread * random.normal());
  const mask_K = Uint8Array.from(scores.logprobs_K, () => (random.uniform() < 0.8 ? 1 : 0));
  const { sequenceStart_Q } = batch;
  const isCritic = config.advantageBaseline === "critic";
  return {
    oldLogprobs_K: near(scores.logprobs_K, 0.2),
    refLogprobs_K: config.klCoef > 0 ? near(scores.logprobs_K, 0.3) : null,
    advantages_K: Float32Array.from(scores.logprobs_K, () => random.normal()),
    mask_K,
    sequenceStart_Q,
    oldValues_K: isCritic ? near(scores.values_K!, 0.2) : null,
    returns_K: isCritic ? near(scores.values_K!, 0.5) : null,
    totals: objectiveTotals({ mask_K, sequenceStart_Q, entropies_K: scores.entropies_K }, config),
  };
}

function sliceTerms(fixed: FixedInput, { firstSequence, lastSequence }: SequenceRange): FixedInput {
  const sequenceStart_Q = fixed.sequenceStart_Q.subarray(firstSequence, lastSequence + 1);
  const cut = (values_K: ArrayLike<number> | null) => values_K && Array.from(values_K).slice(sequenceStart_Q[0]!, sequenceStart_Q.at(-1)!);
  return {
    oldLogprobs_K: cut(fixed.oldLogprobs_K)!,
    refLogprobs_K: cut(fixed.refLogprobs_K),
    advantages_K: cut(fixed.advantages_K)!,
    mask_K: cut(fixed.mask_K)!,
    sequenceStart_Q,
    oldValues_K: cut(fixed.oldValues_K),
    returns_K: cut(fixed.returns_K),
    totals: fixed.totals,
  };
}

function scalarObjective(fixed: FixedInput, config: RunConfig): Objective {
  return (scores, range) => {
    const values_K = fixed.oldValues_K ? scores.values_K : null;
    return tokenGradients(tokenObjective({ ...sliceTerms(fixed, range), ...scores, values_K }, config));
  };
}

async function gradientOf(backend: TransformerBackend, packed: PackedBatch, objective: Objective): Promise<Float32Array> {
  await backend.accumulate(packed, objective, 40);
  const gradient_N = await backend.getGradient();
  await backend.clearGradient();
  return gradient_N;
}

/** Both ways over several micro-batches; gradients of all weights to 1e-5 of the largest. On a slow device every other setting. */
export function describeTape(
  title: string,
  create: CreateBackend,
  { skip, slow = false }: { skip?: string | undefined; slow?: boolean } = {},
): void {
  describe.skipIf(skip !== undefined)(skip ? `${title} (${skip})` : title, () => {
    const live = useBackend(create, criticConfig);

    it.each(Object.entries(SETTINGS).filter((_, i) => !slow || i % 2 === 0))(
      "has the gradient of the scalar objective: %s",
      async (_name, switches) => {
        const backend = live();
        const config = runConfigSchema.parse(switches);
        const fixed = randomTerms(await backend.score(batch, "policy"), config);
        const scalar = scalarObjective(fixed, config);
        const before = tf.memory().numTensors;
        const expected = await gradientOf(backend, batch, scalar);
        let calls = 0;
        const counted: Objective = (scores, range) => {
          calls += 1;
          // Not what the scalar form says: the gradient must come from the tape.
          return { ...scalar(scores, range), logprobs_K: new Float32Array(scores.logprobs_K.length) };
        };
        const terms = (range: SequenceRange) => ({ fixed: sliceTerms(fixed, range), config });
        const actual = await gradientOf(backend, batch, Object.assign(counted, { terms }));
        const { largest, scale } = difference(actual, expected);
        expect(scale).toBeGreaterThan(1e-4);
        expect(largest).toBeLessThan(1e-5 * scale);
        expect(calls).toBeGreaterThan(1);
        expect(tf.memory().numTensors).toBe(before);
      },
    );

    it("refuses the step where the objective says so", async () => {
      const backend = live();
      const config = runConfigSchema.parse({});
      const fixed = randomTerms(await backend.score(batch, "policy"), config);
      const refusing: Objective = ({ logprobs_K }) => ({ logprobs_K: logprobs_K.map(() => Number.NaN), entropies_K: null, values_K: null });
      const terms = (range: SequenceRange) => ({ fixed: sliceTerms(fixed, range), config });
      const before_N = await backend.getWeights("policy");
      await backend.accumulate(batch, Object.assign(refusing, { terms }), 4096);
      const step = { kind: "sgd", learningRate: 1, beta1: 0, beta2: 0, eps: 1e-8, weightDecay: 0, maxGradNorm: 0 } as const;
      expect((await backend.step(step)).gradNorm).toBeNaN();
      expect(await backend.getWeights("policy")).toEqual(before_N);
    });
  });
}
