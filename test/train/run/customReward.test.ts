import { describe, expect, it } from "vitest";
import { startEngine } from "../../../src/library/startEngine.ts";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { Consent } from "../../../src/protocol/config/customRewards.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { rewardStarters } from "../../../src/ui/make/customize/reward/starters.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const EVEN = rewardStarters.find(({ id }) => id === "evenDigits")!.source;
const config = (source: string, more: object = {}): RunConfigInput => ({
  task: "digit-sum",
  model: "tabular",
  algorithm: "builtin",
  steps: 60,
  evalEvery: 0,
  customRewards: { mine: { source, ...more } },
  rewardWeights: { sumCloseness: 0 },
});

describe("a custom reward in a configuration", () => {
  it("decides what is learnt, to the same bits each time", async () => {
    const [first, again] = [await trainRun(config(EVEN), createNodeHost()), await trainRun(config(EVEN), createNodeHost())];
    const rewards = (run: typeof first) => run.steps.map(({ metrics }) => metrics.reward);
    expect(rewards(again)).toEqual(rewards(first));
    expect(rewards(first).at(-1)! - rewards(first)[0]!).toBeGreaterThan(0.2);
    expect(first.steps[0]!.metrics["rewards/mine/mean"]).toBe(first.steps[0]!.metrics.reward);
  });

  it.each(rewardStarters.filter(({ about }) => about === "digits").map(({ id, source }) => [id, source]))(
    "is learnt from the template %s",
    async (_, source) => {
      const { steps } = await trainRun({ ...config(source), steps: 150 }, createNodeHost());
      const mean = (part: typeof steps) => part.reduce((sum, { metrics }) => sum + (metrics.reward ?? 0), 0) / part.length;
      expect(mean(steps.slice(-10))).toBeGreaterThan(mean(steps.slice(0, 5)) + 0.05);
      expect(steps.every(({ metrics }) => !("rewards/mine/failed" in metrics) || metrics["rewards/mine/failed"] === 0)).toBe(true);
    },
  );

  it("pauses its run where it fails, with the line", async () => {
    const source = "export function reward({ text }) {\n  return text.nothing.here;\n}";
    await expect(trainRun({ ...config(source), steps: 1 }, createNodeHost())).rejects.toThrow(
      "no conversation could be scored: mine: TypeError: cannot read property 'here' of undefined (line 2)",
    );
  });

  it("meets its own cases before a run starts, or there is none", async () => {
    const cases = [
      { text: "24", earns: 1 },
      { text: "13", earns: { min: 0, max: 0.5 } },
    ];
    await trainRun({ ...config(EVEN, { cases }), steps: 1 }, createNodeHost());
    await expect(trainRun({ ...config(EVEN, { cases: [{ text: "13", earns: 1 }] }), steps: 1 }, createNodeHost())).rejects.toThrow(
      'customRewards.mine: "13" must earn 1, got 0',
    );
  });

  it("is refused by its name and its form", async () => {
    const refused = (customRewards: RunConfigInput["customRewards"], sentence: string) =>
      expect(trainRun({ task: "digit-sum", customRewards }, createNodeHost())).rejects.toThrow(sentence);
    await refused({ sumCloseness: { source: EVEN } }, "customRewards.sumCloseness must have another name: a reward has that one already");
    await refused(
      { "1st": { source: EVEN } },
      'customRewards must be named by a small letter and then letters or digits, 30 at most, got "1st"',
    );
    await refused({ mine: { source: "" } }, "customRewards.mine.source must have at least 1 character");
    await refused({ mine: { source: EVEN, workMs: 0 } }, "customRewards.mine.workMs must be >= 1, got 0");
  });

  it("does not run before its reader allows it, where a host asks", async () => {
    const read = new Set<string>();
    const consent: Consent = {
      allows: (source) => read.has(source),
      allow: (sources) => {
        for (const source of sources) read.add(source);
      },
    };
    const engine = await startEngine(createNodeHost({ consent }), () => {});
    const start = (source: string) => engine.ask({ type: "start", runId: "own", config: config(source), paused: true });
    await expect(start(EVEN)).rejects.toThrow("customRewards.mine: its code must be read and allowed before it runs");
    await engine.ask({ type: "allow-code", sources: [EVEN] });
    await start(EVEN);
    await expect(start(`${EVEN}\n`)).rejects.toThrow("must be read and allowed");
  });
});
