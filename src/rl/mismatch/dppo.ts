// DPPO (Qi et al. 2026, "Rethinking the Trust Region in LLM Reinforcement Learning", arXiv 2602.04879): a token is masked where its
// advantage pushes it further away from the sampler (A > 0 and r > 1, or A < 0 and r < 1) and the two distributions are apart by more than
// delta. Of a distribution only the sampled token is recorded, so both are the paper's binary ones: this token, or any other. Departures:
// none of the paper's; prime-rl, which has the binary TV, has a delta for each sign of the advantage, and counts A = 0 as negative.
import { log } from "../exactMath.ts";
import type { MismatchCorrection, Side, Threshold, TokenOfBoth } from "./correction.ts";

/** |sampler - trainer|, the total variation between "this token" and "any other". */
export function binaryTv({ sampler, trainer }: Pick<TokenOfBoth, "sampler" | "trainer">): number {
  return Math.abs(sampler - trainer);
}

/** KL(sampler, trainer) between "this token" and "any other", in nats; Infinity where the trainer rules out what the sampler does not. */
export function binaryKl({ sampler, trainer }: Pick<TokenOfBoth, "sampler" | "trainer">): number {
  const term = (p: number, q: number) => (p === 0 ? 0 : q === 0 ? Number.POSITIVE_INFINITY : p * log(p / q));
  return term(sampler, trainer) + term(1 - sampler, 1 - trainer);
}

const delta = (title: string, usual: number): Threshold => ({ key: "delta", title, usual, least: 0, most: 0.5, step: 0.005 });

function beyond(token: TokenOfBoth, apart: (token: TokenOfBoth) => number, most: number): Side {
  const side = token.advantage > 0 && token.ratio > 1 ? 1 : token.advantage < 0 && token.ratio < 1 ? -1 : 0;
  return side !== 0 && apart(token) > most ? side : 0;
}

const DPPO = { does: "drops", source: "Qi et al. 2026, arXiv 2602.04879", needsAdvantage: true } as const;

export const dppoTv: MismatchCorrection = {
  ...DPPO,
  id: "dppo-tv",
  title: "DPPO, binary TV",
  help: "Drops a token whose advantage pushes it further from the sampler where the two probabilities are apart by more than δ.",
  thresholds: [delta("δ, a difference of probabilities", 0.2)],
  side: (token, { delta: most = 1 }) => beyond(token, binaryTv, most),
};

export const dppoKl: MismatchCorrection = {
  ...DPPO,
  id: "dppo-kl",
  title: "DPPO, binary KL",
  help: "The same, where the KL between this token and any other, sampler to trainer, is more than δ.",
  thresholds: [delta("δ, in nats", 0.05)],
  side: (token, { delta: most = Number.POSITIVE_INFINITY }) => beyond(token, binaryKl, most),
};
