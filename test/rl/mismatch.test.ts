// Sampler and trainer compared, token by token: against naive formulas, prime-rl's own columns, and hand-made tokens on every side of the
// thresholds.
import { expect, it } from "vitest";
import type { GroupRecord } from "../../src/protocol/records.ts";
import type { TokenOfBoth } from "../../src/rl/mismatch/correction.ts";
import { binaryKl, binaryTv } from "../../src/rl/mismatch/dppo.ts";
import { corrections } from "../../src/rl/mismatch/index.ts";
import { corrected, mismatchByPlace, mismatchOf, tokensOfBoth } from "../../src/rl/mismatch/mismatch.ts";
import { openTraces } from "../../src/traces/openTraces.ts";
import { sampleFiles, traceFile } from "../support/traceFiles.ts";

const usual = (id: string) =>
  Object.fromEntries(corrections.find((each) => each.id === id)!.thresholds.map((each) => [each.key, each.usual]));
const side = (id: string, token: Partial<TokenOfBoth>, thresholds = usual(id)) =>
  corrections.find((each) => each.id === id)!.side({ ratio: 1, sampler: 1, trainer: 1, advantage: 1, ...token }, thresholds);
/** A token by its two probabilities. */
const token = (sampler: number, trainer: number, advantage: number): TokenOfBoth => ({
  ratio: trainer / sampler,
  sampler,
  trainer,
  advantage,
});

it("IcePop keeps what lies in [alpha, beta], bounds included, whatever the advantage", () => {
  const ratios = [0.49, 0.5, 1, 5, 5.01];
  expect(ratios.map((ratio) => side("icepop", { ratio, advantage: Number.NaN }))).toEqual([-1, 0, 0, 0, 1]);
  expect(side("icepop", { ratio: 0.49 }, { alpha: 0.4, beta: 5 })).toBe(0);
});

it("TIS cuts what is above C and nothing below", () => {
  expect([0.01, 2, 2.01].map((ratio) => side("tis", { ratio }))).toEqual([0, 0, 1]);
});

it("DPPO drops a token only where its advantage pushes it away from the sampler", () => {
  // Half the sampler's probability is apart from the trainer's by more than 0.2.
  expect(side("dppo-tv", token(0.2, 0.7, 1))).toBe(1);
  expect(side("dppo-tv", token(0.2, 0.7, -1))).toBe(0);
  expect(side("dppo-tv", token(0.7, 0.2, -1))).toBe(-1);
  expect(side("dppo-tv", token(0.7, 0.2, 1))).toBe(0);
  expect(side("dppo-tv", token(0.2, 0.7, 0))).toBe(0);
  // A rare token may change a hundredfold, as the paper has it: the distributions hardly do.
  expect(side("dppo-tv", token(1e-5, 1e-3, 1))).toBe(0);
  expect(side("icepop", token(1e-5, 1e-3, 1))).toBe(1);
  // A likely one may not fall from 0.99 to 0.75.
  expect([side("dppo-tv", token(0.99, 0.75, -1)), side("dppo-kl", token(0.99, 0.75, -1)), side("icepop", token(0.99, 0.75, -1))]).toEqual([
    -1, -1, 0,
  ]);
});

it("the divergences are those of two outcomes, this token or any other", () => {
  expect(binaryTv({ sampler: 0.99, trainer: 0.8 })).toBeCloseTo(0.19, 12);
  expect(binaryKl({ sampler: 0.99, trainer: 0.8 })).toBeCloseTo(0.99 * Math.log(0.99 / 0.8) + 0.01 * Math.log(0.01 / 0.2), 12);
  expect(binaryKl({ sampler: 1, trainer: 1 })).toBe(0);
  expect(binaryKl({ sampler: 0.5, trainer: 1 })).toBe(Number.POSITIVE_INFINITY);
});

const allOf = async (files: Parameters<typeof openTraces>[0]) => {
  const set = await openTraces(files, {});
  return { set, steps: await Promise.all(set.report.steps.map((step) => set.groups(step))) };
};

it("KL, ratio and difference of probabilities are those that prime-rl wrote itself, token by token and in the mean", async () => {
  const { set, steps } = await allOf(sampleFiles("prime-rl"));
  for (const [i, groups] of steps.entries()) {
    const both = tokensOfBoth(groups);
    const written = (name: string) =>
      groups.flatMap(({ trajectories }) => trajectories.flatMap(({ tokens, extras }) => extras?.[name] ?? tokens.map(() => null)));
    const [kl, ratios, deltas] = ["mismatch_kl", "importance_ratio", "prob_delta"].map(written) as [
      (number | null)[],
      (number | null)[],
      (number | null)[],
    ];
    const counted: number[] = [];
    for (const [k, value] of kl.entries()) {
      expect(both.mask_K[k]).toBe(value === null ? 0 : 1);
      if (value === null) continue;
      counted.push(value);
      expect(both.ratio_K[k]).toBeCloseTo(ratios[k]!, 12);
      expect(both.trainer_K[k]! - both.sampler_K[k]!).toBeCloseTo(deltas[k]!, 12);
    }
    expect(counted.length).toBeGreaterThan(5);
    const mean = counted.reduce((sum, value) => sum + value, 0) / counted.length;
    expect(mismatchOf(both, mismatchByPlace(both)).k3).toBeCloseTo(mean, 12);
    expect(set.steps[i]!.metrics["sampling/mismatch_kl"]).toBeCloseTo(mean, 12);
  }
});

/** A token export of one answer. @param inference log-probs of the sampler; null where it told none */
const exported = (inference: readonly (number | null)[], trainer: readonly number[], advantage: number) =>
  JSON.stringify({
    ...{
      schema_version: 1,
      step: 3,
      token_ids: [1, 2, ...trainer.map((_, t) => 10 + t)],
      loss_mask: [false, false, ...trainer.map(() => true)],
    },
    ...{ advantages: [0, 0, ...trainer.map(() => advantage)], rewards: [0, 0, ...trainer.map(() => 1)] },
    ...{ inference_logprobs: [0, 0, ...inference], trainer_logprobs: [null, null, ...trainer] },
  });
const made = async (): Promise<readonly GroupRecord[]> => {
  const rows = [exported([-2, -1, -0.5], [-0.5, -1, -3], 1), exported([-1, null], [-1, -1], -1)];
  return (await allOf([traceFile("token_exports/step_3/rank_0.jsonl", rows.join("\n"))])).steps[0]!;
};

it("tokens are counted by rollout and side, and what lacks a log-prob counts nowhere", async () => {
  const both = tokensOfBoth(await made());
  expect([both.tokens, both.lacking]).toEqual([4, 1]);
  const count = (id: string) => {
    const { side_K, above, below, touched_Q, undecided } = corrected(both, corrections.find((each) => each.id === id)!, usual(id));
    return { sides: [...side_K], above, below, touched: [...touched_Q], undecided };
  };
  expect(count("icepop")).toEqual({ sides: [0, 0, -1, 0, 0], above: 0, below: 1, touched: [1, 0], undecided: 0 });
  expect(count("tis")).toEqual({ sides: [1, 0, 0, 0, 0], above: 1, below: 0, touched: [1, 0], undecided: 0 });
  expect(count("dppo-tv")).toEqual({ sides: [1, 0, 0, 0, 0], above: 1, below: 0, touched: [1, 0], undecided: 0 });
});

it("means by place are those of a naive loop, over the answers that reach it", async () => {
  const places = mismatchByPlace(tokensOfBoth(await made()));
  const k3 = (d: number) => Math.exp(d) - 1 - d;
  expect(places.map(({ tokens }) => tokens)).toEqual([2, 1, 1]);
  expect(places.map((place) => place.k3)).toEqual([k3(1.5) / 2, 0, k3(-2.5)].map((value) => expect.closeTo(value, 12)));
  expect(places.map((place) => place.k1)).toEqual([-1.5 / 2, 0, 2.5].map((value) => expect.closeTo(value, 12)));
});

it("DPPO says on how many tokens it cannot decide where nobody recorded an advantage", async () => {
  const groups = (await made()).map((group) => ({
    ...group,
    trajectories: group.trajectories.map((each) => ({ ...each, advantage: null, channels: { ...each.channels, advantages: null } })),
  }));
  const found = corrected(tokensOfBoth(groups), corrections.find(({ id }) => id === "dppo-tv")!, usual("dppo-tv"));
  expect(found).toMatchObject({ above: 0, below: 0, undecided: 4 });
});
