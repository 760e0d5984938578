// Sampling turn by turn is sampling all at once: what is inserted between turns is context like any
// other, rows that rest change nothing, and log-probs and entropies are those of the scoring forward.
import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { type OpenRequest, type SampleResult, sampleCompletions, type WeightSlot } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups, type TokenGroup } from "../../src/train/step/update/batch.ts";
import { type CreateBackend, criticConfig, tiedConfig, useBackend } from "./liveBackend.ts";
import { difference, fixedGradients, linearObjective, packUnshared, sharpWeights } from "./tokenBatches.ts";

const rule = { temperature: 0.9, topK: 0, topP: 1, minP: 0, stopTokens: [3] };

/** Prompts with one, two and three sequences. */
export const asked: OpenRequest = {
  prompts: [[3, 1, 4, 1, 5], [9, 2], [6]],
  promptOf_B: Int32Array.of(0, 1, 1, 2, 2, 2),
  expectedTokens: 24,
};

/** A conversation so far: every token after the prompt, which of them were sampled, and what the sampler said of those. */
interface Line {
  readonly tokens: number[];
  readonly mask: number[];
  readonly logprobs: number[];
  readonly entropies: number[];
  /** Whose weights sampled each of those. */
  readonly slots: WeightSlot[];
}

function take(lines: readonly Line[], sequences_B: Int32Array, result: SampleResult, slot: WeightSlot): void {
  const T = result.tokens_BT.length / sequences_B.length;
  sequences_B.forEach((sequence, b) => {
    const line = lines[sequence]!;
    for (let i = b * T; i < b * T + result.lengths_B[b]!; i++) {
      line.tokens.push(result.tokens_BT[i]!);
      line.mask.push(1);
      line.logprobs.push(result.logprobs_BT[i]!);
      line.entropies.push(result.entropies_BT[i]!);
      line.slots.push(slot);
    }
  });
}

const uniforms = (random: Random, count: number) => Float32Array.from({ length: count }, () => random.uniform());

/** Three turns: all sequences, all but two, and one of those that had rested with some others; what is inserted differs in length. */
export async function converse(
  backend: TransformerBackend,
  request: OpenRequest,
  seed = 17,
  slotOf: (turn: number) => WeightSlot = () => "policy",
): Promise<readonly Line[]> {
  const random = new Random(seed);
  const lines: Line[] = Array.from(request.promptOf_B, () => ({ tokens: [], mask: [], logprobs: [], entropies: [], slots: [] }));
  const open = backend.open(request);
  try {
    for (const [turn, sequences] of [
      [0, 1, 2, 3, 4, 5],
      [0, 2, 3, 5],
      [1, 2, 5],
    ].entries()) {
      const sequences_B = Int32Array.from(sequences);
      for (const sequence of turn === 0 ? [] : sequences) {
        const inserted = Array.from({ length: (sequence + turn) % 4 }, () => random.below(backend.config.vocabularySize));
        open.extend(sequence, inserted);
        lines[sequence]!.tokens.push(...inserted);
        lines[sequence]!.mask.push(...inserted.map(() => 0));
      }
      const maxNewTokens = 3 + turn;
      const uniforms_BT = uniforms(random, sequences.length * maxNewTokens);
      const slot = slotOf(turn);
      take(lines, sequences_B, await open.sample({ ...rule, slot, sequences_B, maxNewTokens, uniforms_BT }), slot);
    }
  } finally {
    open.close();
  }
  return lines;
}

/** The conversations as a batch, sequences of a prompt in one group. */
function groupsOf(request: OpenRequest, lines: readonly Line[]): readonly TokenGroup[] {
  return request.prompts.map((promptTokens, p) => {
    const own = lines.filter((_, b) => request.promptOf_B[b] === p);
    return { promptTokens, completions: own.map(({ tokens }) => tokens), masks: own.map(({ mask }) => mask) };
  });
}

/** Declares the tests of several turns; on a slow device only the first laws, on one model. */
export function describeConversations(create: CreateBackend, slow: boolean): void {
  describe("several turns", () => {
    const critic = useBackend(create, criticConfig);
    const tied = useBackend(create, tiedConfig);

    it("have the log-probs and entropies of all at once, with holes where tokens were inserted", async () => {
      for (const backend of slow ? [critic()] : [critic(), tied()]) {
        const lines = await converse(backend, asked);
        expect(lines.some(({ mask }) => mask.includes(0))).toBe(true);
        const scores = await backend.score(packGroups(groupsOf(asked, lines), rule.temperature), "policy");
        const sampled = lines.flatMap(({ logprobs }) => logprobs);
        expect(difference(sampled, scores.logprobs_K).largest).toBeLessThan(1e-4);
        const entropies = lines.flatMap((line) => line.entropies);
        expect(difference(entropies, scores.entropies_K).largest).toBeLessThan(1e-4);
      }
    });

    it("are taken by the weights of either slot, each on all that was said", async () => {
      const backend = tied();
      await backend.setWeights("reference", sharpWeights(tiedConfig, 6));
      const lines = await converse(backend, { ...asked, slots: ["policy", "reference"] }, 17, (turn) =>
        turn === 1 ? "reference" : "policy",
      );
      const batch = packGroups(groupsOf(asked, lines), rule.temperature);
      const scores = { policy: await backend.score(batch, "policy"), reference: await backend.score(batch, "reference") };
      const sampled = lines.flatMap(({ logprobs, entropies, slots }) =>
        logprobs.map((logprob, i) => ({ logprob, entropy: entropies[i]!, slot: slots[i]! })),
      );
      expect(sampled.filter(({ slot }) => slot === "reference").length).toBeGreaterThan(6);
      expect(difference(scores.policy.logprobs_K, scores.reference.logprobs_K).largest).toBeGreaterThan(0.5);
      const expected = (read: "logprobs_K" | "entropies_K") => sampled.map(({ slot }, k) => scores[slot][read][k]!);
      expect(
        difference(
          sampled.map(({ logprob }) => logprob),
          expected("logprobs_K"),
        ).largest,
      ).toBeLessThan(1e-4);
      expect(
        difference(
          sampled.map(({ entropy }) => entropy),
          expected("entropies_K"),
        ).largest,
      ).toBeLessThan(1e-4);
      await backend.dropWeights("reference");
    });

    it("keep the policy's weights as they are until they are closed", async () => {
      const backend = tied();
      const weights_N = await backend.getWeights("policy");
      const before = backend.open(asked);
      before.close();
      before.close();
      const open = backend.open(asked);
      const refusal = "internal: the policy's weights cannot change while sequences are open";
      await expect(backend.setWeights("policy", weights_N)).rejects.toThrow(refusal);
      const step = { kind: "sgd", learningRate: 1, beta1: 0, beta2: 0, eps: 0, weightDecay: 0.5, maxGradNorm: 0 } as const;
      await expect(backend.step(step)).rejects.toThrow(refusal);
      open.close();
      expect(await backend.getWeights("policy")).toEqual(weights_N);
      await backend.setWeights("policy", weights_N);
    });

    it("refuse what makes no sense, in a sentence", async () => {
      const backend = tied();
      const open = (prompts: number[][]) => backend.open({ prompts, promptOf_B: Int32Array.of(0), expectedTokens: 4 });
      expect(() => open([[]])).toThrow("prompt must have >= 1 tokens, got 0");
      expect(() => open([[1, tiedConfig.vocabularySize]])).toThrow("token must be >= 0 and < 24, got 24");
      const sequences = open([[1]]);
      const turn = { ...rule, sequences_B: Int32Array.of(0), maxNewTokens: 1, uniforms_BT: new Float32Array(1) };
      expect(() => sequences.extend(0, [1])).toThrow("internal: sequence 0 has taken no turn yet");
      await sequences.sample(turn);
      expect(() => sequences.extend(0, [-1])).toThrow("token must be >= 0 and < 24, got -1");
      sequences.close();
      await expect(sequences.sample(turn)).rejects.toThrow("internal: sequences that are closed");
    });

    if (slow) return;

    it("go on as a fresh sequence whose prompt is all that stands", async () => {
      const backend = tied();
      const greedy = { ...rule, temperature: 0, stopTokens: [], maxNewTokens: 4, uniforms_BT: new Float32Array(8) };
      const prompts = [[5, 2, 8], [7]];
      const open = backend.open({ prompts, promptOf_B: Int32Array.of(0, 1), expectedTokens: 10 });
      const sequences_B = Int32Array.of(0, 1);
      const first = await open.sample({ ...greedy, sequences_B });
      open.extend(0, [11, 12]);
      open.extend(1, [4]);
      const second = await open.sample({ ...greedy, sequences_B });
      open.close();
      const whole = [
        [...prompts[0]!, ...first.tokens_BT.subarray(0, 4), 11, 12],
        [...prompts[1]!, ...first.tokens_BT.subarray(4), 4],
      ];
      const anew = await sampleCompletions(backend, { ...greedy, prompts: whole, copies: 1 });
      expect(second.tokens_BT).toEqual(anew.tokens_BT);
      expect(difference(second.logprobs_BT, anew.logprobs_BT).largest).toBeLessThan(1e-4);
    });

    it("give the same tokens when sequences outgrow what was expected, and to neighbours of any number", async () => {
      const backend = tied();
      const lines = await converse(backend, asked);
      const outgrown = await converse(backend, { ...asked, expectedTokens: 3 });
      expect(outgrown.map(({ tokens }) => tokens)).toEqual(lines.map(({ tokens }) => tokens));
      for (const [b, line] of outgrown.entries()) expect(difference(line.logprobs, lines[b]!.logprobs).largest).toBeLessThan(1e-4);
      // A sequence alone, with the draws it had among the others.
      const random = new Random(17);
      const uniforms_BT = uniforms(random, 6 * 3).subarray(4 * 3, 5 * 3);
      const alone = backend.open({ prompts: [asked.prompts[2]!], promptOf_B: Int32Array.of(0), expectedTokens: 3 });
      const result = await alone.sample({ ...rule, sequences_B: Int32Array.of(0), maxNewTokens: 3, uniforms_BT });
      alone.close();
      expect(Array.from(result.tokens_BT.subarray(0, result.lengths_B[0]))).toEqual(lines[4]!.tokens.slice(0, result.lengths_B[0]));
    });

    it("begin when they are asked to, whether or not others of their prompt have begun", async () => {
      const backend = tied();
      const lines = await converse(backend, asked);
      const open = backend.open(asked);
      const random = new Random(17);
      const uniforms_BT = uniforms(random, 6 * 3);
      for (const sequences_B of [Int32Array.of(4), Int32Array.of(0, 3), Int32Array.of(1, 2, 5)]) {
        const draws = Array.from(sequences_B, (sequence) => [...uniforms_BT.subarray(3 * sequence, 3 * sequence + 3)]).flat();
        const result = await open.sample({ ...rule, sequences_B, maxNewTokens: 3, uniforms_BT: Float32Array.from(draws) });
        sequences_B.forEach((sequence, b) => {
          const length = result.lengths_B[b]!;
          expect(Array.from(result.tokens_BT.subarray(b * 3, b * 3 + length))).toEqual(lines[sequence]!.tokens.slice(0, length));
          expect(
            difference(result.logprobs_BT.subarray(b * 3, b * 3 + length), lines[sequence]!.logprobs.slice(0, length)).largest,
          ).toBeLessThan(1e-4);
        });
      }
      open.close();
    });

    it("train with the gradient of the same conversations unshared and scored one by one", async () => {
      const backend = critic();
      const groups = groupsOf(asked, await converse(backend, asked));
      const shared = packGroups(groups, 1);
      const unshared = packUnshared(groups);
      const gradients = fixedGradients(shared, 23, ["logprobs", "entropies", "values"]);
      const objective = linearObjective(gradients, true);
      const together = await backend.accumulate(shared, objective, 4096);
      const sharedGradient_N = await backend.getGradient();
      await backend.clearGradient();
      const apart = await backend.accumulate(unshared, objective, 16);
      const apartGradient_N = await backend.getGradient();
      await backend.clearGradient();
      expect(difference(together.logprobs_K, apart.logprobs_K).largest).toBeLessThan(1e-4);
      const { largest, scale } = difference(sharedGradient_N, apartGradient_N);
      expect(largest).toBeLessThan(1e-4 * scale);
    });

    it("can be closed and opened again to the same tokens", async () => {
      expect(await converse(tied(), asked)).toEqual(await converse(tied(), asked));
    });
  });
}
