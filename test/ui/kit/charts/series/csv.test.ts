import { describe, expect, it } from "vitest";
import { csvCell, seriesCsv } from "../../../../../src/ui/kit/charts/series/csv.ts";

describe("seriesCsv", () => {
  it("writes every point of every line, with empty cells where a line has no such step", () => {
    const csv = seriesCsv([
      { id: "reward", label: "Reward", xs: [0, 1, 2], ys: [0.5, Number.NaN, 1] },
      { id: "accuracy", label: "Accuracy", xs: [0, 2], ys: [0.25, 0.75], lows: [0.1, 0.6], highs: [0.4, 0.9] },
    ]);
    expect(csv).toBe("step,reward,accuracy,accuracy_low,accuracy_high\r\n0,0.5,0.25,0.1,0.4\r\n1,,,,\r\n2,1,0.75,0.6,0.9\r\n");
  });

  it("does not thin out long runs", () => {
    const xs = Array.from({ length: 5000 }, (_, i) => i);
    expect(
      seriesCsv([{ id: "a", label: "a", xs, ys: xs }])
        .trimEnd()
        .split("\r\n"),
    ).toHaveLength(5001);
  });

  it("quotes what needs quoting", () => {
    expect(csvCell('say "a, b"')).toBe('"say ""a, b"""');
    expect(csvCell("plain")).toBe("plain");
    expect(csvCell(1e-7)).toBe("1e-7");
  });
});
