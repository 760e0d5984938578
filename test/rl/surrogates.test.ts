// A surrogate is one object: made up here, it is found in the schema, the form, the loss, the metrics, the formula, the
// sentences, the exports and the rules of servers; and no surrogate is named outside its own file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trlOptions } from "../../src/cli/exports/trl/options.ts";
import { verlOptions } from "../../src/cli/exports/verl/options.ts";
import { number } from "../../src/protocol/config/field.ts";
import { fieldsOf } from "../../src/protocol/config/fields.ts";
import { objectiveFieldsOf } from "../../src/protocol/config/objectiveFields.ts";
import { lossOnServer } from "../../src/protocol/config/serverRules.ts";
import { type RunConfig, runConfigSchema } from "../../src/protocol/config.ts";
import { z } from "../../src/protocol/zod.ts";
import { lossMetrics } from "../../src/rl/metrics/lossMetrics.ts";
import { objectiveOf } from "../../src/rl/objective.ts";
import { type AnySurrogate, surrogateOf, surrogates } from "../../src/rl/surrogates/index.ts";
import { only, surrogate, weighs } from "../../src/rl/surrogates/surrogate.ts";
import { parseFormula } from "../../src/ui/kit/formula/typeset.ts";
import { phaseDoes } from "../../src/ui/kit/words/method.ts";
import { lossFormula } from "../../src/ui/step/explain/formulas/lossFormula.ts";
import { clipReason } from "../../src/ui/step/explain/story/reasons.ts";
import type { TokenStory, TokenUpdate } from "../../src/ui/step/explain/story/story.ts";

/** The ratio to a power, as a weight that is held fixed. */
const damped = surrogate({
  id: "damped",
  title: "Damped",
  settings: {
    dampedPower: number(0, 1, 0.5, "Power", "Power of the ratio.", { ...weighs, noEffect: [only("damped")] }),
  },
  ratio: "held",
  fill: ({ advantages_K, logprobs_K, mask_K }, { ratio_K }, { dampedPower }, out) => {
    for (let k = 0; k < mask_K.length; k++) {
      if (!mask_K[k]) continue;
      const weight = ratio_K[k]! ** dampedPower;
      out.loss_K[k] = -weight * advantages_K[k]! * logprobs_K[k]!;
      out.dLogprob_K[k] = -weight * advantages_K[k]!;
    }
  },
  metrics: ({ ratio, tokens }) => ({ "damped/mean": ratio / tokens }),
  formula: ({ held, ratio, bound, advantage, times, logprob }, { dampedPower }) =>
    `-${held(`${ratio}^{${bound("p", dampedPower)}}`)}${times}${advantage}${times}${logprob}`,
  bounds: () => ["dampedPower"],
  brake: ({ dampedPower }) => `The ratio to the power of ${dampedPower} weighs each token.`,
  whyHeld: ({ ratio }) => `A ratio of ${ratio} is damped.`,
});
const known = [...surrogates, damped] as unknown as readonly AnySurrogate[];
const config = { ...runConfigSchema.parse({ innerEpochs: 2 }), surrogate: "damped", dampedPower: 0.5 } as unknown as RunConfig;

const input = {
  logprobs_K: Float64Array.of(-1, -2),
  oldLogprobs_K: Float64Array.of(-1 - Math.log(4), -2),
  refLogprobs_K: null,
  entropies_K: null,
  advantages_K: Float64Array.of(1, -1),
  mask_K: Uint8Array.of(1, 1),
  sequenceStart_Q: Int32Array.of(0, 2),
  ...{ values_K: null, oldValues_K: null, returns_K: null },
  totals: { tokens: 2, sequences: 1, entropyThreshold: Number.NEGATIVE_INFINITY, activeTokens: 2 },
};

describe("a made-up surrogate", () => {
  it("is a choice of the schema with its settings, from which the form is built", () => {
    const schema = z.strictObject(objectiveFieldsOf(known));
    const fields = fieldsOf(schema);
    const chosen = fields.find(({ key }) => key === "surrogate");
    expect(chosen?.choices).toContain("damped");
    expect(chosen?.titles).toMatchObject({ damped: "Damped" });
    expect(fields.find(({ key }) => key === "dampedPower")).toMatchObject({
      title: "Power",
      min: 0,
      max: 1,
      preset: 0.5,
      group: "objective",
    });
    expect(schema.parse({ surrogate: "damped" })).toMatchObject({ surrogate: "damped", dampedPower: 0.5 });
    expect(schema.safeParse({ dampedPower: 2 }).success).toBe(false);
  });

  it("makes the loss, its derivative and its metrics", () => {
    const { policyLoss_K, gradLogprobs_K, sums } = objectiveOf(surrogateOf(config, known), input, config);
    expect([...policyLoss_K]).toEqual([2, -2]);
    expect([...gradLogprobs_K]).toEqual([-1, 0.5]);
    const metrics: Record<string, number> = {};
    lossMetrics(sums, config, 1, metrics, known);
    expect(metrics["damped/mean"]).toBeCloseTo(2.5, 12);
    expect(metrics["clip_ratio/region_mean"]).toBeUndefined();
  });

  it("has its formula and its sentences, and nobody else's", () => {
    const token = {
      ...{ story: { config }, facts: { index: 0, ratio: 4, advantage: 1, clipState: 0 } },
      trajectory: { channels: { trainLogprobs: [-1] } },
    } as unknown as TokenStory;
    const update = { ratio: 4, policyLoss: 2, weight: 0.5, isUnmasked: true, kl: null } as TokenUpdate;
    const { tex, numbers } = lossFormula(token, update, known);
    expect(tex).toContain("\\operatorname{sg}\\bigl(\\sym{ratio}{\\rho_t}^{\\sym{clip}{p}}\\bigr)");
    expect(numbers).toContain("\\sym{ratio}{4}^{\\sym{clip}{0.5}}\\cdot");
    for (const each of [tex, numbers]) expect(() => parseFormula(each, true)).not.toThrow();
    expect(clipReason(config, token, known)).toBe("A ratio of 4 is damped.");
    expect(phaseDoes("update", config, known)).toContain("The ratio to the power of 0.5 weighs each token.");
  });

  it("is refused by name where another program or a server has nothing like it", () => {
    for (const { lost } of [trlOptions(config, known), verlOptions(config, known)])
      expect(lost.filter(({ field }) => field === "surrogate")).toMatchObject([{ value: "damped" }]);
    expect(lossOnServer(config, known)).toBe("no server has the surrogate damped");
  });

  it("is unknown to everybody who does not list it", () => {
    expect(() => surrogateOf(config)).toThrow("internal: there is no surrogate damped");
  });
});

describe("the name of a surrogate", () => {
  const root = join(import.meta.dirname, "../../src");
  // An algorithm chooses one by its name; its own file and the list have it; "clip" and "reinforce" are words and names of algorithms besides.
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.(ts|tsx|py)$/.test(path) && !/^rl\/(algorithms|surrogates)\//.test(path),
  );
  const WORDS: readonly string[] = ["clip", "reinforce"];

  it.each(surrogates.map(({ id }) => id))("%s is compared with nowhere but in its own file", (id) => {
    const named = WORDS.includes(id)
      ? new RegExp(`surrogate["']?\\s*(?:===|!==|:)\\s*(?:\\{ not: )?["']${id}["']|case ["']${id}["']`)
      : new RegExp(`["'.\\b]${id}|${id}[A-Z_"']`, "i");
    expect(files.filter((path) => named.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
  });
});
