import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../../src/protocol/records.ts";
import { algorithms } from "../../../../src/rl/algorithms/index.ts";
import { underAlgorithms } from "../../../../src/rl/otherwise/otherwise.ts";
import { valueText } from "../../../../src/ui/kit/words/settingText.ts";
import { columnAt, columnsOf } from "../../../../src/ui/step/otherwise/algorithms/StripCanvas.tsx";
import {
  alikeReason,
  cosine,
  joinedStrips,
  orderedStrips,
  stripLimits,
  strips,
  stripTokens,
} from "../../../../src/ui/step/otherwise/algorithms/strips.ts";

function trajectory(reward: number, length: number): TrajectoryRecord {
  const filled = (value: number) => Array.from({ length }, () => value);
  return {
    tokens: filled(1),
    sampled: filled(1),
    pieces: Array.from({ length }, (_, t) => String.fromCharCode(97 + t)),
    text: "",
    stopReason: "completed",
    messages: [],
    rewardParts: [{ name: "closeness", value: reward, weight: 1 }],
    reward,
    advantage: 0,
    success: reward === 1,
    channels: {
      oldLogprobs: filled(-1),
      trainLogprobs: filled(-1),
      newLogprobs: null,
      refLogprobs: null,
      sampledEntropies: filled(1),
      trainEntropies: filled(1),
      advantages: filled(0),
      lossWeights: filled(0),
      mask: filled(1),
      values: null,
    },
  };
}

const group = (trajectories: readonly TrajectoryRecord[]): GroupRecord => ({
  step: 1,
  promptIndex: 0,
  exampleId: "e",
  messages: [],
  promptTokens: [0],
  promptPieces: ["x"],
  answer: "",
  zeroSpread: false,
  trajectories,
});

// Completion 0 is right and short, completion 1 wrong and long.
const groups = [group([trajectory(1, 2), trajectory(0, 4)])];
const config = { ...runConfigSchema.parse({}), klCoef: 0, maxCompletionTokens: 8 };
const all = underAlgorithms(groups, config, { algorithms, tasks: [] });
const rows = strips(all, 0, [0, 1]);
const strip = (id: string) => rows.find((row) => row.id === id)!;

describe("the strips of a group", () => {
  it("run over the tokens of the completions, end to end", () => {
    const tokens = stripTokens(groups[0]!, [1, 0]);
    expect(tokens.pieces_T.join("")).toBe("abcdab");
    expect(tokens.completion_T).toEqual([1, 1, 1, 1, 0, 0]);
    expect(tokens.index_T).toEqual([0, 1, 2, 3, 0, 1]);
  });

  it("push up what was right, down what was wrong", () => {
    for (const { id, pushes_T } of rows) {
      if (id === "ppo") continue;
      expect([id, pushes_T[0]! > 0, pushes_T[5]! < 0]).toEqual([id, true, true]);
    }
  });

  it("show the length bias: per-sequence means push a long completion's tokens less, a constant length does not", () => {
    const ratio = ({ pushes_T }: { readonly pushes_T: Float64Array }) => -pushes_T[5]! / pushes_T[0]!;
    expect(ratio(strip("grpo"))).toBeCloseTo(0.5, 9);
    expect(ratio(strip("dr-grpo"))).toBeCloseTo(1, 9);
  });

  it("put the run's own algorithm first in every order, then the others as asked", () => {
    for (const order of ["listed", "alike", "strength"] as const) expect(orderedStrips(rows, order)[0]?.id).toBe("grpo");
    const totals = orderedStrips(rows, "strength")
      .slice(1)
      .map(({ total }) => total);
    expect(totals).toEqual([...totals].sort((a, b) => b - a));
    const likeness = orderedStrips(rows, "alike")
      .slice(1)
      .map((row) => row.likeness);
    expect(likeness).toEqual([...likeness].sort((a, b) => b - a));
    expect(strip("grpo").likeness).toBeCloseTo(1, 9);
  });

  it("are one row where they push alike, with the reason, and no algorithm is lost", () => {
    const joined = joinedStrips(orderedStrips(rows, "listed"));
    expect(joined.flatMap((row) => [row, ...row.alike].map(({ id }) => id)).sort()).toEqual(rows.map(({ id }) => id).sort());
    expect(joined.length).toBeLessThan(rows.length);
    // On the policy that sampled, what only bounds the ratio changes nothing.
    expect(joined[0]?.alike.map(({ id }) => id)).toEqual(["gspo", "sapo"]);
    for (const { pushes_T, alike } of joined)
      for (const other of alike) expect(Array.from(other.pushes_T)).toEqual(Array.from(pushes_T, (push) => expect.closeTo(push, 9)));
    expect(alikeReason(groups)).toContain("the ratio is 1 here");
    const moved = { ...groups[0]!.trajectories[0]!, channels: { ...groups[0]!.trajectories[0]!.channels, trainLogprobs: [-1.2, -1] } };
    expect(alikeReason([group([moved])])).toContain("do not matter on these rollouts");
  });

  it("name what differs from the run in words", () => {
    expect(strip("grpo").differences).toEqual([]);
    expect(strip("dr-grpo").differences).toEqual(["Scale none", "Aggregation constant length"]);
    expect([valueText(true), valueText("k3+"), valueText(0.28)]).toEqual(["on", "k3+", "0.28"]);
  });

  it("are drawn on one scale, or each on its own", () => {
    const common = stripLimits(rows, "common");
    const own = stripLimits(rows, "row");
    expect(new Set(common).size).toBe(1);
    expect(common[0]).toBe(Math.max(...own));
    expect(own).toEqual(rows.map(({ pushes_T }) => Math.max(...pushes_T.map(Math.abs))));
  });
});

describe("the columns", () => {
  const tokens = stripTokens(groups[0]!, [0, 1]);
  const columns = columnsOf(tokens, 126);

  it("fill the width with a gap between completions", () => {
    expect(columns).toEqual({ left_T: Float64Array.of(0, 20, 46, 66, 86, 106), width: 20 });
  });

  it("are found under a pixel, the one before in a gap, the nearest outside", () => {
    expect([-5, 0, 19.9, 20, 45, 46.5, 125, 400].map((x) => columnAt(columns, x))).toEqual([0, 0, 0, 1, 1, 2, 5, 5]);
  });
});

describe("the cosine of two strips", () => {
  it("is 1 for the same direction, -1 for the opposite, and unknown without one", () => {
    expect(cosine(Float64Array.of(1, 2), Float64Array.of(2, 4))).toBeCloseTo(1, 12);
    expect(cosine(Float64Array.of(1, 2), Float64Array.of(-1, -2))).toBeCloseTo(-1, 12);
    expect(cosine(Float64Array.of(0, 0), Float64Array.of(1, 0))).toBeNaN();
  });
});
