import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SamplingOptions, sampleToken } from "../../../src/rl/rollout/sampleToken.ts";

const all: SamplingOptions = { temperature: 1, topK: 0, topP: 1, minP: 0 };
const logs = (...probabilities: number[]) => Float64Array.from(probabilities, Math.log);
const probabilities = [0.1, 0.4, 0.05, 0.3, 0.15];

/** How often each id comes out over an even grid of uniforms. */
function shares(options: SamplingOptions, from = probabilities): number[] {
  const counts = from.map(() => 0);
  for (let i = 0; i < 10_000; i++) counts[sampleToken(logs(...from), options, (i + 0.5) / 10_000)]! += 1;
  return counts.map((count) => count / 10_000);
}

describe("sampleToken", () => {
  it("follows the probabilities when nothing is filtered", () => {
    for (const [id, share] of shares(all).entries()) expect(share).toBeCloseTo(probabilities[id]!, 3);
  });

  it("walks the ids in order: small uniforms give small ids", () => {
    expect(sampleToken(logs(...probabilities), all, 0)).toBe(0);
    expect(sampleToken(logs(...probabilities), all, 0.0999)).toBe(0);
    expect(sampleToken(logs(...probabilities), all, 0.1001)).toBe(1);
    expect(sampleToken(logs(...probabilities), all, 1 - 2 ** -24)).toBe(4);
  });

  it("keeps exactly k tokens, lower ids first among equals, and renormalises", () => {
    expect(shares({ ...all, topK: 2 }).map((share) => Number(share.toFixed(3)))).toEqual([0, 0.571, 0, 0.429, 0]);
    expect(shares({ ...all, topK: 2 }, [0.25, 0.25, 0.25, 0.25])).toEqual([0.5, 0.5, 0, 0]);
  });

  it("keeps the fewest tokens that reach p", () => {
    expect(shares({ ...all, topP: 0.6 }).map((share) => share > 0)).toEqual([false, true, false, true, false]);
    expect(shares({ ...all, topP: 0.75 }).map((share) => share > 0)).toEqual([false, true, false, true, true]);
    expect(shares({ ...all, topP: 0.01 })).toEqual([0, 1, 0, 0, 0]);
  });

  it("measures p within the top k", () => {
    // Of 0.4, 0.3, 0.15 the first two hold 0.82 of the mass.
    expect(shares({ ...all, topK: 3, topP: 0.8 }).map((share) => share > 0)).toEqual([false, true, false, true, false]);
  });

  it("drops what is less likely than minP of the most likely", () => {
    expect(shares({ ...all, minP: 0.3 }).map((share) => share > 0)).toEqual([false, true, false, true, true]);
  });

  it("takes the most likely token at temperature 0, the lowest id among equals", () => {
    expect(sampleToken(logs(0.2, 0.4, 0.4), { ...all, temperature: 0 }, 0.99)).toBe(1);
  });

  it("always returns a kept token", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -30, max: 0, noNaN: true }), { minLength: 1, maxLength: 12 }),
        fc.record({
          topK: fc.nat({ max: 14 }),
          topP: fc.double({ min: 0.01, max: 1, noNaN: true }),
          minP: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        fc.nat({ max: 2 ** 24 - 1 }),
        (scores, filters, draw) => {
          const token = sampleToken(Float64Array.from(scores), { temperature: 1, ...filters }, draw / 2 ** 24);
          const better = scores.filter((score) => Math.exp(score) > Math.exp(scores[token]!)).length;
          if (filters.topK > 0) expect(better).toBeLessThan(filters.topK);
          expect(Math.exp(scores[token]!)).toBeGreaterThanOrEqual(filters.minP * Math.exp(Math.max(...scores)));
        },
      ),
    );
  });
});
