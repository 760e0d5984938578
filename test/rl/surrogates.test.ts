// Each surrogate of the registry against its own loss: the derivatives that it fills are the central differences of what it fills
// beside them, in the ratio, in the log-prob and in the sequence's log-ratios, and what it says it holds has none. A surrogate
// that joins the list is held with the others.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Field, fieldsOf } from "../../src/protocol/config/fields.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "../../src/protocol/config.ts";
import { importanceRatios } from "../../src/rl/objective/ratio.ts";
import type { ObjectiveInput, Ratios, SurrogateArrays } from "../../src/rl/objective/types.ts";
import { type AnySurrogate, surrogates } from "../../src/rl/surrogates/index.ts";
import { anyObjective, randomBatch, withTotals } from "./randomBatch.ts";

const fields = new Map(fieldsOf(runConfigSchema).map((field) => [field.key, field]));

/** A number at its default, or half or twice that within its range, or beside 0 where that turns it off; any choice; a switch either way. */
function anyValue({ kind, preset, choices, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Field): fc.Arbitrary<unknown> {
  if (kind === "flag") return fc.boolean();
  if (kind === "choice" && choices) return fc.constantFrom(...choices);
  if (typeof preset !== "number") return fc.constant(preset);
  const values = preset === 0 ? [0, 1.5] : [0.5, 1, 2].map((times) => times * preset);
  return fc.constantFrom(...values.map((value) => Math.max(min, Math.min(max, kind === "integer" ? Math.round(value) : value))));
}

/** Any switches of the objective with any settings of the surrogate's own. */
function anyConfigOf({ id, settings }: AnySurrogate): fc.Arbitrary<RunConfig> {
  const own = Object.fromEntries(Object.keys(settings).map((key) => [key, anyValue(fields.get(key)!)]));
  return fc.oneof(
    anyObjective.map((switches) => ({ ...switches, surrogate: id }) as RunConfig),
    fc.record(own).map((settings) => runConfigSchema.parse({ ...settings, surrogate: id } as RunConfigInput)),
  );
}

/** What the surrogate fills for these log-probs and ratios. */
function filled({ fill }: AnySurrogate, input: ObjectiveInput, ratios: Ratios, config: RunConfig): SurrogateArrays {
  const zeros = () => new Float64Array(input.mask_K.length);
  const out = {
    loss_K: zeros(),
    dRatio_K: zeros(),
    dLogprob_K: zeros(),
    dSequence_K: zeros(),
    clipState_K: new Int8Array(input.mask_K.length),
    sequenceWeight_Q: new Float64Array(ratios.trained_Q.length),
  };
  fill(input, ratios, config, out);
  return out;
}

const H = 1e-5;
/** Central difference of `at` around 0; null where a kink may lie nearby, which shows in slopes that differ on both sides. */
function slopeOf(at: (by: number) => number): number | null {
  const sides = [at(10 * H) - at(0), at(0) - at(-10 * H)];
  if (Math.abs(sides[0]! - sides[1]!) / (10 * H) > 1e-2) return null;
  return (at(H) - at(-H)) / (2 * H);
}

const moved = (values: ArrayLike<number>, at: number, by: number) =>
  Float64Array.from(values, (value, k) => (k === at ? value + by : value));
const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0);

describe.each((surrogates as readonly AnySurrogate[]).map((each) => [each.id, each] as const))("the surrogate %s", (id, surrogate) => {
  it("fills the derivatives of its own loss and holds what it says it holds", () => {
    let compared = 0;
    let kinks = 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), anyConfigOf(surrogate), (seed, config) => {
        const input = withTotals(randomBatch(seed, 4), config);
        const ratios = importanceRatios(input, config.ratioLevel);
        const at = filled(surrogate, input, ratios, config);
        const lossOf = (changed: Partial<ObjectiveInput>, ofRatios: Partial<Ratios> = {}) =>
          filled(surrogate, { ...input, ...changed }, { ...ratios, ...ofRatios }, config).loss_K;
        const holds = (what: string, slope: number | null, written: number) => {
          if (slope === null) kinks += 1;
          else if (!(Math.abs(slope - written) < 1e-8 + 1e-8 * Math.abs(slope))) expect([what, written]).toEqual([what, slope]);
          compared += 1;
        };
        for (let q = 0; q + 1 < input.sequenceStart_Q.length; q++) {
          const [start, end] = [input.sequenceStart_Q[q]!, input.sequenceStart_Q[q + 1]!];
          for (let k = start; k < end; k++) {
            if (!input.mask_K[k]) {
              expect([at.loss_K[k], at.dRatio_K[k], at.dLogprob_K[k], at.dSequence_K[k]]).toEqual([0, 0, 0, 0]);
              continue;
            }
            holds(
              "log-prob",
              slopeOf((by) => lossOf({ logprobs_K: moved(input.logprobs_K, k, by) })[k]!),
              at.dLogprob_K[k]!,
            );
            const byRatio = slopeOf((by) => lossOf({}, { ratio_K: moved(ratios.ratio_K, k, by) })[k]!);
            if (surrogate.ratio === "detached") expect(at.dRatio_K[k]).toBe(0);
            else holds("ratio", byRatio, at.dRatio_K[k]!);
            const bySequence = slopeOf((by) => sum(lossOf({}, { logRatio_K: moved(ratios.logRatio_K, k, by) }).subarray(start, end)));
            const written = sum(at.dSequence_K.subarray(start, end));
            if (surrogate.movesSequence?.(config)) holds("sequence", bySequence, written);
            else expect(Math.abs(written)).toBe(0);
          }
        }
      }),
      { numRuns: 60, seed: 7 },
    );
    expect(compared, id).toBeGreaterThan(500);
    expect(kinks / compared, id).toBeLessThan(0.01);
  });
});
