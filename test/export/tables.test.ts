// A run as a table and as a page.
import { describe, expect, it } from "vitest";
import { liveForms, writtenFiles } from "../../src/export/live/liveForms.ts";
import { metricRows } from "../../src/export/metricsTable.ts";
import { reportPage } from "../../src/export/page/reportPage.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import type { EvaluationRecord, StepRecord } from "../../src/protocol/records.ts";

const evaluation: EvaluationRecord = {
  ...{ step: 0, problems: 1, samplesPerProblem: 2, greedyAccuracy: 0, greedyInterval: [0, 0], sampledAccuracy: 0.5 },
  ...{ sampledInterval: [0, 1], passAtK: {}, formRate: 1, meanReward: 0.25 },
};

/** The table of a run that is over. */
function metricsTable(steps: readonly StepRecord[], evaluations: readonly EvaluationRecord[]): string {
  const rows = metricRows(steps, evaluations).map(([step, values]) => ({ step, wallTime: 0, values }));
  const run = { runId: "run", config: runConfigSchema.parse({}), begun: 0, begunAt: "" };
  return new TextDecoder().decode(writtenFiles(liveForms.find(({ name }) => name === "csv")!, run, rows).get("metrics.csv"));
}

describe("the table of metrics", () => {
  it("has a row a step with its evaluation, and quotes what would break a row", () => {
    const steps = [{ step: 1, metrics: { reward: 0.5, 'a "b", c': 1, kl: Number.NaN } }];
    expect(metricsTable(steps, [evaluation]).split("\n")).toEqual([
      'step,reward,"a ""b"", c",kl,eval/sampled_accuracy,eval/greedy_accuracy,eval/form_rate,eval/reward',
      "0,,,,0.5,0,1,0.25",
      "1,0.5,1,,,,,",
      "",
    ]);
  });
});

describe("reportPage", () => {
  const page = (ys: readonly number[]) =>
    reportPage({
      ...{ title: "<b>", verdict: "\"solved\" & 'done'", facts: [["a<b", "1"]], settings: [] },
      curves: [{ title: "reward", xs: ys.map((_, i) => i), ys, levels: [["random", 0.5]] }],
      samples: [
        { title: "At first", conversations: [{ verdict: "right", messages: [{ role: "user", content: "<script>alert(1)</script>" }] }] },
      ],
    });

  it("shows what it is given as text, and needs nothing from elsewhere", () => {
    const html = page([0, 1]);
    expect(html).not.toMatch(/<script|https?:|<h1><b>|<title><b>/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("&quot;solved&quot; &amp; &#39;done&#39;");
  });

  it("draws a long curve with as many points as can be seen, and none without points", () => {
    const path = /class="curve" d="([^"]+)"/.exec(page(Array.from({ length: 10_000 }, Math.sin)))?.[1] ?? "";
    expect(path.split("L").length).toBeLessThanOrEqual(400);
    expect(page([Number.NaN])).not.toContain("<svg");
  });

  it("cuts no label off, whatever the numbers, and lays none on another", () => {
    const ys = [-0.000123, -0.000001];
    const html = reportPage({
      ...{ title: "", verdict: "", facts: [], settings: [], samples: [] },
      curves: [
        {
          title: "kl",
          xs: [1, 1000],
          ys,
          levels: [
            ["random", -0.000001],
            ["start", -0.0000011],
          ],
        },
      ],
    });
    const labels = Array.from(html.matchAll(/<text x="([\d.]+)" y="([\d.]+)"( text-anchor="end")?>([^<]*)/g), ([, x, y, isEnd, label]) => {
      // Digits of system fonts at 12 px are about 7 wide.
      const width = 7 * label!.length;
      return { label, from: Number(x) - (isEnd ? width : 0), to: Number(x) + (isEnd ? 0 : width), y: Number(y) };
    });
    expect(labels.map(({ label }) => label)).toEqual(expect.arrayContaining(["-0.000123", "random -0.000001"]));
    for (const { label, from, to, y } of labels) {
      expect(from, label).toBeGreaterThanOrEqual(0);
      expect(to, label).toBeLessThanOrEqual(640);
      expect(y, label).toBeGreaterThanOrEqual(12);
      expect(y, label).toBeLessThanOrEqual(180);
      for (const other of labels)
        if (other.label !== label && other.from < to && from < other.to)
          expect(Math.abs(other.y - y), `${label} and ${other.label}`).toBeGreaterThanOrEqual(12);
    }
  });
});
