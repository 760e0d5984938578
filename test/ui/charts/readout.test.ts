import { describe, expect, it } from "vitest";
import { textsAt, valuesAt } from "../../../src/ui/charts/Readout.tsx";

const norm = { id: "norm", label: "norm", xs: [1, 2], ys: [0.1, 0] };

describe("the readout", () => {
  it("leads with the value as recorded, the smoothed one beside it", () => {
    expect(textsAt(norm, [0.1, 0.0583], 1, "number")).toEqual({ raw: "0", drawn: "0.0583" });
    expect(valuesAt([norm], [Float64Array.of(0.1, 0.0583)], 2, "number")).toBe("norm 0, smoothed 0.0583");
  });

  it("gives no second value that reads like the first", () => {
    expect(textsAt(norm, [0.1000001, 0], 0, "number")).toEqual({ raw: "0.100", drawn: null });
  });

  it("shows a dash where there is no value", () => {
    expect(textsAt(norm, [0.1, 0], -1, "number")).toEqual({ raw: "–", drawn: null });
  });
});
