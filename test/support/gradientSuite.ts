// The gradient is the derivative of what is scored, however the batch is laid out or cut.
import { afterEach, describe, expect, it } from "vitest";
import type { Objective, TransformerBackend } from "../../src/model/backend.ts";
import { plainForward, plainLogSoftmax } from "../../src/model/plainForward.ts";
import { parameterLayout, type TransformerConfig } from "../../src/model/transformerConfig.ts";
import { packGroups, type TokenGroup } from "../../src/train/step/update/batch.ts";
import { type CreateBackend, criticConfig, tiedConfig, useBackend } from "./liveBackend.ts";
import {
  allLogprobs,
  difference,
  fixedGradients,
  linearLoss,
  linearObjective,
  packUnshared,
  randomGroups,
  sharpWeights,
} from "./tokenBatches.ts";

const still = { kind: "sgd", learningRate: 0, beta1: 0, beta2: 0, eps: 1e-8, weightDecay: 0, maxGradNorm: 0 } as const;
const parts = ["logprobs", "entropies", "values"] as const;

/** Reads the gradient and leaves none behind. */
async function takeGradient(backend: TransformerBackend): Promise<Float32Array> {
  const gradient_N = await backend.getGradient();
  await backend.step(still);
  return gradient_N;
}

/**
 * Moves each tensor along its own gradient, where the derivative is that gradient's norm, and measures
 * it by central differences, extrapolated from two step lengths (Richardson), which leaves O(step^4).
 */
async function expectDerivative(backend: TransformerBackend, chosen: readonly (typeof parts)[number][], slow: boolean): Promise<void> {
  const batch = packGroups(randomGroups(backend.config, 3, 2, 3), 1.25);
  const gradients = fixedGradients(batch, 4, chosen);
  await backend.accumulate(batch, linearObjective(gradients, backend.config.valueHead), 4096);
  const gradient_N = await takeGradient(backend);
  const weights_N = sharpWeights(backend.config, 5);
  let measuredTensors = 0;
  for (const [i, { name, offset, size }] of parameterLayout(backend.config).entries()) {
    if (slow && i % 4 !== 0) continue;
    const slice_N = gradient_N.subarray(offset, offset + size);
    const norm = Math.hypot(...slice_N);
    if (norm < 5e-3) continue; // float32 differences cannot measure it
    measuredTensors += 1;
    const slope = async (step: number) => {
      const moved = async (length: number) => {
        const shifted_N = weights_N.slice();
        for (let i = 0; i < size; i++) shifted_N[offset + i]! += (length * slice_N[i]!) / norm;
        await backend.setWeights("policy", shifted_N);
        return linearLoss(backend, batch, gradients);
      };
      return ((await moved(step)) - (await moved(-step))) / (2 * step);
    };
    const measured = (4 * (await slope(0.01)) - (await slope(0.02))) / 3;
    expect(Math.abs(measured / norm - 1), `${name}: ${measured} measured, ${norm} computed`).toBeLessThan(0.01);
  }
  expect(measuredTensors).toBeGreaterThanOrEqual(slow ? 3 : 10);
  await backend.setWeights("policy", weights_N);
}

/** Small enough that a plain derivative with respect to every single weight takes a second. */
export const smallConfig = { ...criticConfig, vocabularySize: 13, hiddenSize: 8, heads: 2, kvHeads: 1, headSize: 4, intermediateSize: 12 };

/** The linear loss of a batch with one sequence a segment, in double precision but for the weights. */
function plainLoss(
  config: TransformerConfig,
  weights_N: Float32Array,
  groups: readonly TokenGroup[],
  temperature: number,
  gradients: ReturnType<typeof fixedGradients>,
) {
  let [loss, k] = [0, 0];
  for (const { promptTokens, completions } of groups) {
    for (const completion of completions) {
      const { logits_TV, values_T } = plainForward(config, weights_N, [...promptTokens, ...completion.slice(0, -1)]);
      for (const [i, token] of completion.entries()) {
        const row = promptTokens.length - 1 + i;
        const logprobs_V = plainLogSoftmax(logits_TV[row]!, temperature);
        const entropy = logprobs_V.reduce((sum, logprob) => sum - Math.exp(logprob) * logprob, 0);
        loss +=
          gradients.logprobs_K[k]! * logprobs_V[token]! + gradients.entropies_K[k]! * entropy + gradients.values_K[k]! * values_T![row]!;
        k += 1;
      }
    }
  }
  return loss;
}

const EVERY_TEMPERATURE = 1.25;

/** What a configuration's gradients are compared on, and the derivative of its plain loss with respect to every weight. */
interface PlainDerivative {
  readonly groups: readonly TokenGroup[];
  readonly slopes_N: Float64Array;
}

/** They are the same for every backend, and take a second each. */
const derivatives = new Map<string, PlainDerivative>();

/** Central differences of the plain forward pass. */
function plainDerivative(config: TransformerConfig): PlainDerivative {
  const key = JSON.stringify(config);
  const known = derivatives.get(key);
  if (known) return known;
  const groups = randomGroups(config, 3, 1, 2);
  const gradients = fixedGradients(packGroups(groups, EVERY_TEMPERATURE), 4, parts);
  const weights_N = sharpWeights(config, 5);
  const slopes_N = Float64Array.from(weights_N, (weight, i) => {
    const moved = (by: number) => {
      weights_N[i] = weight + by;
      return { at: weights_N[i]!, loss: plainLoss(config, weights_N, groups, EVERY_TEMPERATURE, gradients) };
    };
    const [above, below] = [moved(2e-3), moved(-2e-3)];
    weights_N[i] = weight;
    return (above.loss - below.loss) / (above.at - below.at);
  });
  const found = { groups, slopes_N };
  derivatives.set(key, found);
  return found;
}

/** Compares each tensor's gradient, weight by weight, with central differences of the plain forward pass. */
export async function expectEveryGradient(backend: TransformerBackend): Promise<void> {
  const { config } = backend;
  const { groups, slopes_N } = plainDerivative(config);
  const batch = packGroups(groups, EVERY_TEMPERATURE);
  await backend.setWeights("policy", sharpWeights(config, 5));
  await backend.accumulate(batch, linearObjective(fixedGradients(batch, 4, parts), true), 4096);
  const gradient_N = await takeGradient(backend);
  for (const { name, offset, size } of parameterLayout(config)) {
    let [squares, gaps] = [0, 0];
    for (let i = offset; i < offset + size; i++) {
      squares += slopes_N[i]! ** 2;
      gaps += (gradient_N[i]! - slopes_N[i]!) ** 2;
    }
    expect(Math.sqrt(gaps), name).toBeLessThan(1e-3 * Math.sqrt(squares));
  }
}

/** Declares the gradient tests; on a slow device finite differences of every fourth tensor, once. */
export function describeGradients(create: CreateBackend, slow: boolean): void {
  describe("scoring and its gradient", () => {
    const critic = useBackend(create, criticConfig);
    const tied = useBackend(create, tiedConfig);
    const small = useBackend(create, smallConfig);
    afterEach(() => critic().setWeights("policy", sharpWeights(criticConfig, 5)));

    if (!slow) {
      it("is the finite difference of log-probs and entropies", async () => {
        await expectDerivative(tied(), ["logprobs", "entropies"], slow);
      });

      it("is the finite difference of entropies alone", async () => {
        await expectDerivative(tied(), ["entropies"], slow);
      });
    }

    it("is the finite difference of values and entropies, in their heads and below", async () => {
      await expectDerivative(critic(), ["values", "entropies"], slow);
    });

    it("is the plain derivative of all that is scored, in every tensor by its name", async () => {
      await expectEveryGradient(small());
    });

    it("divides the logits by the temperature", async () => {
      const context = [[1, 2, 3]];
      const [at1] = await allLogprobs(tied(), context);
      const [at2] = await allLogprobs(tied(), context, "policy", 2);
      const halved = Array.from(at1!, (logprob) => logprob / 2);
      const norm = Math.log(halved.reduce((sum, logit) => sum + Math.exp(logit), 0));
      expect(
        difference(
          at2!,
          halved.map((logit) => logit - norm),
        ).largest,
      ).toBeLessThan(2e-5);
    });

    it("is the same with the prompt shared by its group and with a prompt for each sequence", async () => {
      await expectSharingIrrelevant(critic());
    });

    it("is the same in one micro-batch and in as many as there are sequences", async () => {
      await expectCutsIrrelevant(critic(), slow ? 3 : 8);
    });

    it("adds up over batches accumulated one by one", async () => {
      const backend = critic();
      const groups = randomGroups(criticConfig, 8, 3, 2);
      const all = packGroups(groups, 1);
      const gradients = fixedGradients(all, 9, parts);
      await backend.accumulate(all, linearObjective(gradients, true), 4096);
      const whole_N = await takeGradient(backend);
      let first = 0;
      for (const group of groups) {
        const one = packGroups([group], 1);
        const offset = first;
        const objective: Objective = (scores, range) =>
          linearObjective(gradients, true)(scores, { ...range, firstToken: range.firstToken + offset });
        await backend.accumulate(one, objective, 4096);
        first += one.scoreTarget_K.length;
      }
      const { largest, scale } = difference(await takeGradient(backend), whole_N);
      expect(largest).toBeLessThan(1e-5 * scale);
    });

    it("is zero where the objective's is, and needs neither entropies nor values", async () => {
      const batch = packGroups(randomGroups(criticConfig, 3, 1, 2), 1);
      await critic().accumulate(
        batch,
        ({ logprobs_K }) => ({ logprobs_K: logprobs_K.map(() => 0), entropies_K: null, values_K: null }),
        4096,
      );
      expect((await takeGradient(critic())).every((value) => value === 0)).toBe(true);
    });
  });
}

async function expectSharingIrrelevant(backend: TransformerBackend): Promise<void> {
  const groups = randomGroups(backend.config, 6, 3, 4);
  const shared = packGroups(groups, 0.9);
  const unshared = packUnshared(groups, 0.9);
  const gradients = fixedGradients(shared, 7, parts);
  const sharedScores = await backend.accumulate(shared, linearObjective(gradients, true), 4096);
  const shared_N = await takeGradient(backend);
  const unsharedScores = await backend.accumulate(unshared, linearObjective(gradients, true), 4096);
  const unshared_N = await takeGradient(backend);
  for (const key of ["logprobs_K", "entropies_K", "values_K"] as const) {
    expect(difference(sharedScores[key]!, unsharedScores[key]!).largest).toBeLessThan(2e-5);
  }
  const { largest, scale } = difference(shared_N, unshared_N);
  expect(largest).toBeLessThan(1e-5 * scale);
}

async function expectCutsIrrelevant(backend: TransformerBackend, sequences: number): Promise<void> {
  const batch = packGroups(randomGroups(backend.config, 10, sequences, 1), 1);
  const gradients = fixedGradients(batch, 12, parts);
  const whole = await backend.accumulate(batch, linearObjective(gradients, true), 4096);
  const whole_N = await takeGradient(backend);
  const seen: number[] = [];
  const counting: Objective = (scores, range) => {
    for (let q = range.firstSequence; q < range.lastSequence; q++) seen.push(q);
    expect(range.firstToken).toBe(batch.sequenceStart_Q[range.firstSequence]);
    return linearObjective(gradients, true)(scores, range);
  };
  const cut = await backend.accumulate(batch, counting, 1);
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: sequences }, (_, q) => q));
  expect(difference(cut.logprobs_K, whole.logprobs_K).largest).toBeLessThan(1e-5);
  const { largest, scale } = difference(await takeGradient(backend), whole_N);
  expect(largest).toBeLessThan(1e-5 * scale);
}
