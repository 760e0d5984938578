// Every algorithm on every task, and options that have no effect.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AlgorithmEntry } from "../../src/protocol/catalog.ts";
import { inertFields, keysWith } from "../../src/protocol/config/configFacts.ts";
import { type Field, fieldsOf } from "../../src/protocol/config/fields.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../../src/protocol/config.ts";
import { computeAdvantages } from "../../src/rl/advantages.ts";
import { algorithms } from "../../src/rl/algorithms/index.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { tasks } from "../../src/rl/tasks/index.ts";
import { resolveConfig } from "../support/resolveConfig.ts";
import { randomBatch, withTotals } from "./randomBatch.ts";

const FOLDER = join(import.meta.dirname, "../../src/rl/algorithms");
const byId = (a: AlgorithmEntry, b: AlgorithmEntry) => a.id.localeCompare(b.id);
const entries = tasks.map(({ entry }) => entry);
const names = algorithms.map(({ id }) => id);
const resolved = (algorithm: string) =>
  resolveConfig({ task: "boxed-arithmetic", algorithm, ...(algorithm === "builtin" ? { model: "tabular" } : {}) }, entries, algorithms);

/** Loss and log-prob gradient of one fixed batch, from rewards to objective. */
function outcome(config: RunConfig, isMoved: boolean) {
  const batch = randomBatch(21, 8);
  const rewards_Q = [1, 0, 0.5, 0.25, 1, 1, 0, 0.75];
  const advantages = computeAdvantages(
    {
      ...batch,
      rewards_Q,
      parts_Q: rewards_Q.map((value, q) => [
        { name: "a", value, weight: 1 },
        { name: "b", value: q % 3, weight: 0.5 },
      ]),
      groupOf_Q: Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1),
      tokenCount_Q: rewards_Q.map((_, q) => batch.sequenceStart_Q[q + 1]! - batch.sequenceStart_Q[q]!),
      values_K: batch.oldValues_K,
    },
    config,
  );
  // A critic with its own trunk is no part of the policy's loss.
  const critic =
    config.advantageBaseline === "critic" && config.criticTrunk === "shared"
      ? { returns_K: advantages.returns_K }
      : { values_K: null, oldValues_K: null, returns_K: null };
  const { loss, gradLogprobs_K, gradValues_K } = tokenObjective(
    withTotals(
      {
        ...batch,
        ...critic,
        advantages_K: advantages.advantages_K,
        logprobs_K: isMoved ? batch.logprobs_K : batch.oldLogprobs_K,
        refLogprobs_K: config.klCoef > 0 ? batch.refLogprobs_K : null,
      },
      config,
    ),
    config,
  );
  return { loss, gradLogprobs_K, gradValues_K };
}

describe("the algorithms", () => {
  it("have distinct ids and a paper", () => {
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(1);
    for (const { paper, summary } of algorithms) expect([paper.length > 5, summary.endsWith(".")]).toEqual([true, true]);
  });

  it("are the files of their folder, each once", async () => {
    const files = readdirSync(FOLDER).filter((name) => name !== "index.ts");
    const declared = await Promise.all(files.map((name) => import(join(FOLDER, name))));
    expect(declared.flatMap((module) => Object.values<AlgorithmEntry>(module)).toSorted(byId)).toEqual([...algorithms].sort(byId));
  });

  it.each(names)("%s resolves and pushes up what beat its baseline", (name) => {
    const config = resolved(name);
    expect(config.algorithm).toBe(name);
    const { gradLogprobs_K } = outcome({ ...config, klCoef: 0 }, false);
    expect(gradLogprobs_K.some((value) => value !== 0)).toBe(true);
    expect(gradLogprobs_K.every(Number.isFinite)).toBe(true);
    // Sequence 0 is the best of its group: its tokens are pushed up, so the loss falls with their log-prob.
    const batch = randomBatch(21, 8);
    let push = 0;
    for (let k = 0; k < batch.sequenceStart_Q[1]!; k++) push += gradLogprobs_K[k]!;
    if (config.advantageBaseline !== "critic") expect(push).toBeLessThan(0);
  });

  it("differ from each other in the gradient they give the same rollouts", () => {
    const distinct = new Set(
      names.map((name) => Array.from(outcome(resolved(name), true).gradLogprobs_K, (value) => value.toPrecision(9)).join()),
    );
    // GRPO's and the two-sided or dual clip's bounds are not all reached by one small batch.
    expect(distinct.size).toBeGreaterThanOrEqual(names.length - 3);
  });

  it("sets nothing that has no effect in its own preset, but for a clip it inherits or holds ready", () => {
    for (const { id, config } of algorithms) {
      const inert = inertFields(resolved(id), entries).map(({ key }) => key);
      const idle = Object.keys(config).filter(
        (key) => inert.includes(key as RunConfigKey) && !["clipLow", "clipHigh", "klEstimator", "klPlacement"].includes(key),
      );
      expect([id, idle]).toEqual([id, []]);
    }
  });
});

describe("fields without effect", () => {
  const weighing: ReadonlySet<string> = new Set([...keysWith("inAdvantages"), ...keysWith("inObjective")]);

  /** Allowed values of a field that reaches advantages or objective, its own left out. */
  function otherValues({ kind, choices = [], min, max }: Field, own: unknown): readonly unknown[] {
    const values = kind === "choice" ? choices : kind === "flag" ? [true, false] : [min, max];
    return values.filter((value) => value !== own);
  }

  const variants: readonly RunConfig[] = names.flatMap((name) => [
    resolved(name),
    { ...resolved(name), rewardAggregation: "normalize-then-sum" },
    { ...resolved(name), innerEpochs: 1, minibatches: 1 },
    { ...resolved(name), klCoef: 0.1 },
    { ...resolved(name), criticTrunk: "shared" },
  ]);

  it("change neither loss nor gradient, whatever they are set to", () => {
    let checked = 0;
    const fields = fieldsOf(runConfigSchema);
    for (const config of variants) {
      const isMoved = config.innerEpochs * config.minibatches > 1;
      const before = outcome(config, isMoved);
      const keys = new Set(inertFields(config, entries).map(({ key }) => key));
      for (const field of fields) {
        const key = field.key as RunConfigKey;
        if (!keys.has(key) || !weighing.has(key) || (config.klEstimator === "exact" && key.startsWith("kl"))) continue;
        for (const value of otherValues(field, config[key])) {
          const changed = { ...config, [key]: value };
          // The field may be what its own condition asks for: normalised parts leave a baseline no effect, a critic does not.
          if (!inertFields(changed, entries).some((inert) => inert.key === key)) continue;
          checked += 1;
          expect([key, value, config.algorithm, outcome(changed, isMoved)]).toEqual([key, value, config.algorithm, before]);
        }
      }
    }
    expect(checked).toBeGreaterThan(500);
  });

  it("are named once each, with a reason", () => {
    for (const config of [...variants, runConfigSchema.parse({ kind: "supervised" })]) {
      const keys = inertFields(config, entries).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
    expect(inertFields(runConfigSchema.parse({}), entries)).toContainEqual({ key: "cispoMax", reason: "used by the cispo surrogate only" });
  });

  it("follow from what the task says of itself", () => {
    for (const { id, facts } of entries) {
      const keys = inertFields(runConfigSchema.parse({ task: id }), entries).map(({ key }) => key);
      expect([id, keys.includes("maxCompletionTokens"), keys.includes("overlongBuffer")]).toEqual([
        id,
        facts.fixedLength,
        facts.fixedLength,
      ]);
    }
  });
});
