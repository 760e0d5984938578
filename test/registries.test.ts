// What an objective is made of lies in registries: a surrogate, a baseline and a KL estimator that are made up here and added to
// the lists are found in the schema, the form, the loss, the metrics, the formulas, the sentences, the exports and the rules of
// servers; and none is named outside its own file. The lists grow before anything else reads them, as if each had its line there.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { number } from "../src/protocol/config/field.ts";
import { type Baseline, baseline, centreOn, summaryOf } from "../src/rl/baselines/baseline.ts";
import { baselines } from "../src/rl/baselines/index.ts";
import { type KlEstimator, klEstimator } from "../src/rl/kl/estimator.ts";
import { klEstimators } from "../src/rl/kl/index.ts";
import { type AnySurrogate, surrogateOf, surrogates } from "../src/rl/surrogates/index.ts";
import { only, surrogate, weighs } from "../src/rl/surrogates/surrogate.ts";
import type { TokenStory, TokenUpdate } from "../src/ui/step/explain/story/story.ts";

const listed = [surrogates, baselines, klEstimators].map((list) => list.map(({ id }) => id));

/** The ratio to a power, as a weight that is held fixed. */
const damped = surrogate({
  id: "damped",
  title: "Damped",
  settings: {
    dampedPower: number(0, 1, 0.5, "Power", "Power of the ratio.", { ...weighs, noEffect: [only("damped")] }),
  },
  ratio: "detached",
  fill: ({ advantages_K, logprobs_K, mask_K }, { ratio_K }, { dampedPower }, out) => {
    for (let k = 0; k < mask_K.length; k++) {
      if (!mask_K[k]) continue;
      const weight = ratio_K[k]! ** dampedPower;
      out.loss_K[k] = -weight * advantages_K[k]! * logprobs_K[k]!;
      out.dLogprob_K[k] = -weight * advantages_K[k]!;
    }
  },
  metrics: ({ ratio, tokens }) => ({ "damped/mean": ratio / tokens }),
  formula: ({ detached, ratio, bound, advantage, times, logprob }, { dampedPower }) =>
    `-${detached(`${ratio}^{${bound("p", dampedPower)}}`)}${times}${advantage}${times}${logprob}`,
  bounds: () => ["dampedPower"],
  brake: ({ dampedPower }) => `The ratio to the power of ${dampedPower} weighs each token.`,
  whyHeld: ({ ratio }) => `A ratio of ${ratio} is damped.`,
});

/** The middle of a group's rewards, which one lucky answer does not move. */
const groupMedian = baseline({
  id: "group-median",
  title: "Median of the group",
  from: "group",
  centre: (rewards) => {
    const sorted = rewards.filter((reward) => !Number.isNaN(reward)).sort((a, b) => a - b);
    return centreOn(rewards, sorted[Math.floor(sorted.length / 2)] ?? 0, summaryOf(rewards));
  },
  tex: "\\tilde r",
  words: { one: "the median of its group", many: "the median of their group" },
});

/** The distance without its direction, whose slope is a sign. */
const absolute = klEstimator({
  id: "absolute",
  title: "Absolute",
  value: (d) => Math.abs(d),
  slope: (d) => Math.sign(d),
  tex: (d) => `|${d}|`,
  inLoss: "However far a token is, its pull is the same.",
});

(surrogates as unknown as AnySurrogate[]).push(damped as unknown as AnySurrogate);
(baselines as unknown as Baseline[]).push(groupMedian);
(klEstimators as unknown as KlEstimator[]).push(absolute);

const { trlOptions } = await import("../src/cli/exports/trl/options.ts");
const { verlOptions } = await import("../src/cli/exports/verl/options.ts");
const { fieldsOf } = await import("../src/protocol/config/fields.ts");
const { lossOnServer, serverProblems } = await import("../src/protocol/config/serverRules.ts");
const { runConfigSchema } = await import("../src/protocol/config.ts");
const { computeAdvantages } = await import("../src/rl/advantages.ts");
const { lossMetrics } = await import("../src/rl/metrics/lossMetrics.ts");
const { tokenObjective } = await import("../src/rl/objective.ts");
const { parseFormula } = await import("../src/ui/kit/formula/typeset.ts");
const { phaseDoes } = await import("../src/ui/kit/words/method.ts");
const { advantageFormula } = await import("../src/ui/step/explain/formulas/advantageFormula.ts");
const { lossFormula } = await import("../src/ui/step/explain/formulas/lossFormula.ts");
const { clipReason } = await import("../src/ui/step/explain/story/reasons.ts");

/** A configuration with settings that only the grown lists know. */
const configured = (settings: Readonly<Record<string, unknown>>) => runConfigSchema.parse(settings);
const fieldNamed = (key: string) => fieldsOf(runConfigSchema).find((field) => field.key === key);
const config = configured({ innerEpochs: 2, surrogate: "damped" });

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
    const chosen = fieldNamed("surrogate");
    expect(chosen?.choices).toContain("damped");
    expect(chosen?.titles).toMatchObject({ damped: "Damped" });
    expect(fieldNamed("dampedPower")).toMatchObject({
      title: "Power",
      min: 0,
      max: 1,
      preset: 0.5,
      group: "objective",
    });
    expect(config).toMatchObject({ surrogate: "damped", dampedPower: 0.5 });
    expect(runConfigSchema.safeParse({ dampedPower: 2 }).success).toBe(false);
  });

  it("makes the loss, its derivative and its metrics", () => {
    const { policyLoss_K, gradLogprobs_K, sums } = tokenObjective(input, config);
    expect([...policyLoss_K]).toEqual([2, -2]);
    expect([...gradLogprobs_K]).toEqual([-1, 0.5]);
    const metrics: Record<string, number> = {};
    lossMetrics(sums, config, 1, metrics);
    expect(metrics["damped/mean"]).toBeCloseTo(2.5, 12);
    expect(metrics["clip_ratio/region_mean"]).toBeUndefined();
  });

  it("has its formula and its sentences, and nobody else's", () => {
    const token = {
      ...{ story: { config }, facts: { index: 0, ratio: 4, advantage: 1, clipState: 0 } },
      trajectory: { channels: { trainLogprobs: [-1] } },
    } as unknown as TokenStory;
    const update = { ratio: 4, policyLoss: 2, weight: 0.5, isUnmasked: true, kl: null } as TokenUpdate;
    const { tex, numbers } = lossFormula(token, update);
    expect(tex).toContain("\\operatorname{sg}\\bigl(\\sym{ratio}{\\rho_t}^{\\sym{clip}{p}}\\bigr)");
    expect(numbers).toContain("\\sym{ratio}{4}^{\\sym{clip}{0.5}}\\cdot");
    for (const each of [tex, numbers]) expect(() => parseFormula(each, true)).not.toThrow();
    expect(clipReason(config, token)).toBe("A ratio of 4 is damped.");
    expect(phaseDoes("update", config)).toContain("The ratio to the power of 0.5 weighs each token.");
  });

  it("is refused by name where another program or a server has nothing like it", () => {
    for (const { lost } of [trlOptions(config), verlOptions(config)])
      expect(lost.filter(({ field }) => field === "surrogate")).toMatchObject([{ value: "damped" }]);
    expect(lossOnServer(config)).toBe("no server has the surrogate damped");
  });

  it("is unknown to everybody who does not list it", () => {
    expect(() => surrogateOf({ surrogate: "unlisted" })).toThrow("internal: there is no surrogate unlisted");
  });
});

describe("a made-up baseline", () => {
  const byMedian = configured({ advantageBaseline: "group-median", advantageScale: "none" });

  it("is a choice of the schema, from which the form is built", () => {
    expect(fieldNamed("advantageBaseline")).toMatchObject({ titles: { "group-median": "Median of the group" } });
    expect(fieldNamed("advantageBaseline")?.choices).toContain("group-median");
  });

  it("makes the advantages", () => {
    const { advantages_Q, terms } = computeAdvantages(
      {
        rewards_Q: [0, 1, 5, 2, 2, 2],
        groupOf_Q: Int32Array.of(0, 0, 0, 1, 1, 1),
        tokenCount_Q: [1, 1, 1, 1, 1, 1],
        sequenceStart_Q: Int32Array.of(0, 1, 2, 3, 4, 5, 6),
        mask_K: new Uint8Array(6).fill(1),
        oldLogprobs_K: new Float64Array(6),
        ...{ refLogprobs_K: null, values_K: null },
      },
      byMedian,
    );
    expect([...advantages_Q]).toEqual([-1, 0, 4, 0, 0, 0]);
    expect(Array.from(terms?.baseline_Q ?? [])).toEqual([1, 1, 1, 2, 2, 2]);
  });

  it("has its formula and its sentences", () => {
    const terms = { from: 5, baseline: 1, scale: 1, fade: 1, shift: 0, spread: 1 };
    const token = { story: { config: byMedian }, facts: { advantage: 4 }, terms } as unknown as TokenStory;
    expect(advantageFormula(token)?.tex).toBe("\\sym{advantage}{A_t} = \\sym{from}{r} - \\sym{baseline}{\\tilde r}");
    expect(advantageFormula(token)?.symbols.baseline).toBe("the median of its group, 1");
    expect(phaseDoes("advantage", byMedian)).toBe(
      "Each reward is compared with the median of its group: above is positive, below negative.",
    );
  });

  it("is refused by name where another program has nothing like it, and taken where only a critic is not", () => {
    for (const { lost } of [trlOptions(byMedian), verlOptions(byMedian)])
      expect(lost).toContainEqual(expect.objectContaining({ field: "advantageBaseline", value: "group-median" }));
    const fields = serverProblems({ ...byMedian, backend: "tinker" }).map(({ field }) => field);
    expect(fields).not.toContain("advantageBaseline");
  });
});

describe("a made-up KL estimator", () => {
  const pulled = configured({ surrogate: "reinforce", klCoef: 0.5, klEstimator: "absolute" });

  it("is a choice of the schema, from which the form is built", () => {
    expect(fieldNamed("klEstimator")).toMatchObject({ titles: { absolute: "Absolute" } });
    expect(fieldNamed("klEstimator")?.choices).toContain("absolute");
  });

  it("makes the KL of the loss and its derivative", () => {
    const refLogprobs_K = Float64Array.of(-3, -1.5);
    const { klNats_K, gradLogprobs_K, sums } = tokenObjective({ ...input, refLogprobs_K }, pulled);
    expect([...klNats_K]).toEqual([2, 0.5]);
    // -A + β·sign(d), over the two tokens of the one completion.
    expect([...gradLogprobs_K]).toEqual([(-1 + 0.5) / 2, (1 - 0.5) / 2]);
    expect(sums.klLoss).toBe(0.5 * 0.5 * (2 + 0.5));
  });

  it("has its formula and its sentence", () => {
    const token = {
      ...{ story: { config: pulled }, facts: { index: 0, ratio: 1, advantage: 1, clipState: 0 } },
      trajectory: { channels: { trainLogprobs: [-1] } },
    } as unknown as TokenStory;
    const update = { ratio: 1, policyLoss: 1, weight: 0.5, isUnmasked: true, kl: { nats: 2, slope: 1 } } as TokenUpdate;
    const { tex } = lossFormula(token, update);
    expect(tex).toContain("\\sym{kl}{D_t} = |d_t|");
    expect(() => parseFormula(tex, true)).not.toThrow();
    expect(phaseDoes("update", pulled)).toContain("However far a token is, its pull is the same.");
  });

  it("is refused by name where another program has nothing like it, and taken where only whole rows are not", () => {
    for (const { lost } of [trlOptions(pulled), verlOptions(pulled)])
      expect(lost).toContainEqual(expect.objectContaining({ field: "klEstimator", value: "absolute" }));
    const fields = serverProblems({ ...pulled, backend: "tinker" }).map(({ field }) => field);
    expect(fields).not.toContain("klEstimator");
  });
});

describe("every entry", () => {
  it("has an id of its own", () => {
    for (const ids of listed) expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(surrogates.map(({ id }) => id))(
    "%s has a formula that can be drawn, whatever the token's advantage, and bounds that are settings",
    (id) => {
      const chosen = configured({ innerEpochs: 2, surrogate: id });
      for (const advantage of [1, -1]) {
        const token = {
          ...{ story: { config: chosen }, facts: { index: 0, ratio: 1.5, advantage, clipState: 0 } },
          trajectory: { channels: { trainLogprobs: [-1] } },
        } as unknown as TokenStory;
        const update = { ratio: 1.5, policyLoss: 2, weight: 0.5, isUnmasked: true, kl: null } as TokenUpdate;
        const { tex, numbers } = lossFormula(token, update);
        for (const each of [tex, numbers]) expect(() => parseFormula(each, true)).not.toThrow();
      }
      const keys = fieldsOf(runConfigSchema).map(({ key }) => key);
      expect(keys).toEqual(expect.arrayContaining([...surrogateOf(chosen).bounds(chosen)]));
    },
  );
});

describe("the name of an entry", () => {
  const root = join(import.meta.dirname, "../src");
  // An algorithm chooses by names; an entry's own file and the list have it; a lesson is about the estimators it compares.
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) =>
      /\.(ts|tsx|py)$/.test(path) && !/^(rl\/(algorithms|surrogates|baselines|kl)|ui\/learn\/lessons|cli\/experiments)\b/.test(path),
  );
  // Words that stand for other things besides, such as algorithms and critics.
  const WORDS: readonly string[] = ["clip", "reinforce", "critic", "none", "exact", "k1", "k2", "k3"];
  const fieldOf = ["surrogate", "advantageBaseline", "klEstimator"];
  const capital = (id: string) => id[0]!.toUpperCase() + id.slice(1);

  it.each(listed.flatMap((ids, i) => ids.map((id) => [id, fieldOf[i]!] as const)))(
    "%s of %s is compared with nowhere but in its own file",
    (id, field) => {
      const quoted = id.replace("+", "\\+");
      const named = WORDS.includes(id)
        ? [new RegExp(`${field}["']?\\s*(?:===|!==|:)\\s*(?:\\{ not: )?["']${quoted}["']`)]
        : field === "surrogate"
          ? // In quotes or behind a dot, in either case, or as the beginning or a part of a name: cispoClip, isCispo, CISPO_CLIP.
            [
              new RegExp(`["'.]${id}\\b|\\b${id}["']`, "i"),
              new RegExp(`["'.]${id}|\\b${id}[A-Z_]|${capital(id)}(?![a-z])|\\b${id.toUpperCase()}_`),
            ]
          : [new RegExp(`["']${quoted}["']`)];
      expect(files.filter((path) => named.some((each) => each.test(readFileSync(join(root, path), "utf8"))))).toEqual([]);
    },
  );
});
