// A run as a table and as a page.
import { describe, expect, it } from "vitest";
import { metricsTable } from "../../src/export/metricsTable.ts";
import { reportPage } from "../../src/export/report.ts";
import type { EvaluationRecord } from "../../src/protocol/records.ts";

const evaluation: EvaluationRecord = {
  ...{ step: 0, problems: 1, samplesPerProblem: 2, greedyAccuracy: 0, greedyInterval: [0, 0], sampledAccuracy: 0.5 },
  ...{ sampledInterval: [0, 1], passAtK: {}, formRate: 1, meanReward: 0.25 },
};

describe("metricsTable", () => {
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
      samples: [{ verdict: "right", messages: [{ role: "user", content: "<script>alert(1)</script>" }] }],
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
});
