import { describe, expect, it } from "vitest";
import { dotsAt, readoutText, stepTexts, textsAt } from "../../../../../src/ui/kit/charts/plot/Readout.tsx";

const norm = { id: "norm", label: "norm", xs: [1, 2], ys: [0.1, 0] };

describe("the readout", () => {
  it("leads with the value as recorded, the smoothed one beside it", () => {
    expect(textsAt(norm, [0.1, 0.0583], 1, "number")).toEqual({ raw: "0", drawn: "0.0583" });
    expect(readoutText([norm], [Float64Array.of(0.1, 0.0583)], 2, "number")).toBe("step 2: norm 0, smoothed 0.0583");
  });

  it("is exact where a step is pointed at", () => {
    const line = { id: "a", label: "a", xs: [1], ys: [0.123456789] };
    expect(textsAt(line, [0.5], 0, "number", true)).toEqual({ raw: "0.123457", drawn: "0.5" });
    expect(textsAt(line, [0.5], 0, "share", true)).toEqual({ raw: "12.35 %", drawn: "50 %" });
    expect(textsAt({ ys: [0.003], exact: true }, [0.003], 0, "number")).toEqual({ raw: "0.003", drawn: null });
    expect(dotsAt([line, { ...line, xs: [2] }], [Float64Array.of(0.5), Float64Array.of(0.6)], 1)).toEqual([0.5, null]);
  });

  it("gives no second value that reads like the first", () => {
    expect(textsAt(norm, [0.1000001, 0], 0, "number")).toEqual({ raw: "0.100", drawn: null });
  });

  it("never tells a value for another step than its own", () => {
    const greedy = { id: "greedy", label: "greedy", xs: [0, 40, 80], ys: [0.1, 0.2, 0.3] };
    const other = { id: "other", label: "other", xs: [0, 43], ys: [0.5, 0.6] };
    const drawn = [Float64Array.of(0.1, 0.2, 0.3), Float64Array.of(0.5, 0.6)];
    expect(readoutText([greedy], drawn, 44, "number")).toBe("step 40, nearest to 44: greedy 0.2");
    expect(readoutText([greedy], drawn, 40, "number")).toBe("step 40: greedy 0.2");
    expect(readoutText([greedy, other], drawn, 43, "number")).toBe("step 43: greedy 0.2 (step 40); other 0.6");
    expect(stepTexts([greedy, other], 0)).toEqual({ all: "step 0", own_L: ["", ""] });
  });

  it("shows a dash where there is no value", () => {
    expect(textsAt(norm, [0.1, 0], -1, "number")).toEqual({ raw: "–", drawn: null });
  });
});
