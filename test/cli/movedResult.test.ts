// The words in which `npm run results` says what moved against the committed results.
import { describe, expect, it } from "vitest";
import { type ComparedResult, committedResult, movedResult } from "../../src/cli/movedResult.ts";

const committed: ComparedResult = {
  config: { task: "digit-sum" },
  columns: ["step", "reward"],
  rows: [
    [1, 0.1],
    [2, 0.2],
  ],
  evaluations: [{ sampledAccuracy: 0.5, sampledInterval: [0.4, 0.6] }],
};
const accuracy = (sampledAccuracy: number) => [{ sampledAccuracy, sampledInterval: [0.4, 0.6] as const }];

describe("what moved", () => {
  it("is nothing where every number is as committed, whatever else the file says", () => {
    expect(
      movedResult(committedResult(JSON.stringify({ ...committed, config: { ...committed.config, version: 2 }, seconds: 3 })), committed),
    ).toBeNull();
    expect(movedResult(null, committed)).toBe("new");
    expect(committedResult("{}")).toBeNull();
  });

  it.each<[Partial<ComparedResult>, string]>([
    [{ rows: [committed.rows[0]!, [2, 0.25]] }, "curves from step 2 on"],
    [{ rows: committed.rows.slice(0, 1) }, "1 steps instead of 2"],
    [
      { config: { task: "digit-sum", seed: 1 }, evaluations: accuracy(0.55) },
      "other seed; final accuracy 50.0 % -> 55.0 %, within its interval",
    ],
    [{ evaluations: accuracy(0.7) }, "final accuracy 50.0 % -> 70.0 %, OUTSIDE its interval"],
    [{ evaluations: [...accuracy(0.1), ...accuracy(0.5)] }, "evaluations"],
  ])("%j is said", (changed, sentence) => {
    expect(movedResult(committed, { ...committed, ...changed })).toBe(sentence);
  });
});
