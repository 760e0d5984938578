// What turns and agents are credited with: numbers worked out by hand, and laws that tie turn-level credit to
// the credit of whole conversations.
import { describe, expect, it } from "vitest";
import { type RunConfigInput, runConfigSchema } from "../../src/protocol/config.ts";
import type { TurnSpan } from "../../src/rl/advantage/turnSpans.ts";
import { turnSpans } from "../../src/rl/advantage/turnSpans.ts";
import { computeAdvantages } from "../../src/rl/advantages.ts";
import { Random } from "../../src/rl/random.ts";

/** A turn of a conversation: how many tokens, what it earned, and who took it. */
interface Turn {
  readonly tokens: number;
  readonly reward?: number;
  readonly agent?: string;
  readonly frozen?: boolean;
}
interface Conversation {
  readonly total: number | null;
  readonly turns: readonly Turn[];
}

/** Conversations of one group (or of several) as a batch; `values` of a critic that predicts the same everywhere. */
function batchOf(groups: readonly (readonly Conversation[])[], value = 0) {
  const conversations = groups.flat();
  const starts = [0];
  const mask: number[] = [];
  const turns_Q: TurnSpan[][] = conversations.map(({ turns }) => {
    let start = starts.at(-1)!;
    const spans = turns.map(({ tokens, reward = 0, agent = null, frozen }): TurnSpan => {
      const span = { start, end: start + tokens, agent, reward };
      start += tokens;
      mask.push(...new Array<number>(tokens).fill(frozen ? 0 : 1));
      return span;
    });
    starts.push(start);
    return spans;
  });
  return {
    rewards_Q: conversations.map(({ total }) => total),
    turns_Q,
    groupOf_Q: Int32Array.from(groups.flatMap((group, p) => group.map(() => p))),
    tokenCount_Q: conversations.map((_, q) => starts[q + 1]! - starts[q]!),
    sequenceStart_Q: Int32Array.from(starts),
    mask_K: Uint8Array.from(mask),
    oldLogprobs_K: new Float64Array(mask.length),
    refLogprobs_K: null,
    values_K: new Float64Array(mask.length).fill(value),
  };
}

const config = (over: RunConfigInput) => runConfigSchema.parse({ advantageScale: "none", klCoef: 0, ...over });

/** Advantage of the tokens of each turn; they must agree. */
function byTurn(groups: readonly (readonly Conversation[])[], over: RunConfigInput) {
  const batch = batchOf(groups);
  const { advantages_K } = computeAdvantages(batch, config(over));
  return batch.turns_Q.map((turns) =>
    turns.map(({ start, end }) => {
      const own = advantages_K.subarray(start, end);
      expect(new Set(own).size).toBe(1);
      return own[0]!;
    }),
  );
}

const said = (...rewards: readonly number[]): readonly Turn[] => rewards.map((reward) => ({ tokens: 2, reward }));

describe("turn-level credit", () => {
  const group: readonly Conversation[] = [
    { total: 1.5, turns: said(0.5, 0) }, // the last turn also has what no turn earned, 1
    { total: 0.25, turns: said(0, 0.25, 0) },
    { total: 0, turns: said(0) },
  ];

  it("compares what a turn and later ones earned with turns of the same place", () => {
    // Returns: [1.5, 1], [0.25, 0.25, 0], [0]; means by place 1.75 / 3, 1.25 / 2, 0.
    const first = 1.75 / 3;
    const expected = [[1.5 - first, 0.375], [0.25 - first, -0.375, 0], [-first]];
    const actual = byTurn([group], { credit: "turn" });
    for (const [q, turns] of expected.entries()) for (const [i, value] of turns.entries()) expect(actual[q]![i]).toBeCloseTo(value, 12);
  });

  it("discounts later turns, and not later tokens", () => {
    // Returns at 0.5: [1, 1], [0.125, 0.25, 0], [0].
    const first = 1.125 / 3;
    const expected = [[1 - first, 0.375], [0.125 - first, -0.375, 0], [-first]];
    const actual = byTurn([group], { credit: "turn", turnDiscount: 0.5 });
    for (const [q, turns] of expected.entries()) for (const [i, value] of turns.entries()) expect(actual[q]![i]).toBeCloseTo(value, 12);
  });

  it("is measured in each place's own deviation", () => {
    const actual = byTurn(
      [
        [
          { total: 3, turns: said(1, 2) },
          { total: 1, turns: said(1, 0) },
        ],
      ],
      { credit: "turn", advantageScale: "group-std", advantageEps: 0 },
    );
    // Returns 3 and 1, then 2 and 0: one standard deviation (of two values) is the root of 2 either way.
    for (const turns of [0, 1]) for (const [i, q] of [1, -1].entries()) expect(actual[i]![turns]).toBeCloseTo(q / Math.SQRT2, 12);
  });

  it("is that of whole conversations where only ends are rewarded and all have as many turns", () => {
    const random = new Random(3);
    const groups = [0, 1].map(() => Array.from({ length: 4 }, () => ({ total: random.uniform(), turns: said(0, 0, 0) })));
    for (const advantageScale of ["none", "group-std"] as const) {
      const whole = byTurn(groups, { credit: "trajectory", advantageScale });
      const turns = byTurn(groups, { credit: "turn", advantageScale });
      for (const [q, row] of whole.entries()) for (const [i, value] of row.entries()) expect(turns[q]![i]).toBeCloseTo(value, 12);
    }
  });

  it("leaves conversations that nothing could score out of every statistic", () => {
    const scored = group.slice(0, 2);
    const actual = byTurn([[...scored, { total: null, turns: said(5, 5) }]], { credit: "turn" });
    expect(actual[2]).toEqual([0, 0]);
    expect(actual.slice(0, 2)).toEqual(byTurn([scored], { credit: "turn" }));
  });

  it("finds spread within turns where totals are equal", () => {
    const batch = batchOf([
      [
        { total: 1, turns: said(1, 0) },
        { total: 1, turns: said(0, 1) },
      ],
      [
        { total: 1, turns: said(1, 0) },
        { total: 1, turns: said(1, 0) },
      ],
    ]);
    expect(computeAdvantages(batch, config({ credit: "trajectory" })).zeroSpread_P).toEqual([true, true]);
    expect(computeAdvantages(batch, config({ credit: "turn" })).zeroSpread_P).toEqual([false, true]);
  });

  it("counts a KL in the reward from the turn on", () => {
    const batch = {
      ...batchOf([
        [
          { total: 0, turns: said(0, 0) },
          { total: 0, turns: said(0, 0) },
        ],
      ]),
      refLogprobs_K: new Float64Array(8),
    };
    // k1 of the first conversation's tokens: 1 each in the first turn, 2 each in the second.
    batch.oldLogprobs_K.set([1, 1, 2, 2]);
    const { advantages_K } = computeAdvantages(batch, config({ credit: "turn", klCoef: 0.1, klEstimator: "k1", klPlacement: "reward" }));
    // Returns -0.6 and -0.4 against 0: half of each on either side of the mean.
    for (const [k, value] of [-0.3, -0.3, -0.2, -0.2, 0.3, 0.3, 0.2, 0.2].entries()) expect(advantages_K[k]).toBeCloseTo(value, 12);
  });

  it("puts rewards at the ends of turns for a critic, whose returns pass over what was inserted", () => {
    const conversation = { total: 2, turns: said(0.5, 0.5) };
    const batch = batchOf([[conversation]], 0.25);
    const critic = { advantageBaseline: "critic", discount: 0.5, gaeLambda: 1 } as const;
    const { returns_K, advantages_K } = computeAdvantages(batch, config({ ...critic, credit: "turn" }));
    // 0.5 at the second token, 1.5 at the fourth.
    const expected = [0.5 * 0.5 + 1.5 / 8, 0.5 + 1.5 / 4, 1.5 / 2, 1.5];
    for (const [k, value] of expected.entries()) {
      expect(returns_K![k]).toBeCloseTo(value, 12);
      expect(advantages_K[k]).toBeCloseTo(value - 0.25, 12);
    }
    const whole = computeAdvantages(batch, config({ ...critic, credit: "trajectory" }));
    for (const k of [0, 1, 2, 3]) expect(whole.returns_K![k]).toBeCloseTo(2 * 0.5 ** (3 - k), 12);
  });
});

describe("several agents", () => {
  const talk = (total: number, ...turns: readonly (readonly [string, number])[]): Conversation => ({
    total,
    turns: turns.map(([agent, reward]) => ({ tokens: 2, agent, reward })),
  });
  const group = [talk(3, ["solver", 1], ["checker", 1], ["solver", 0]), talk(1, ["solver", 0], ["checker", 1]), talk(0, ["solver", 0])];

  it("have the conversation's reward, compared within the conversations they took part in", () => {
    // The solver: 3, 1, 0; the checker only 3 and 1.
    const solver = [3 - 4 / 3, 1 - 4 / 3, -4 / 3];
    const expected = [[solver[0]!, 1, solver[0]!], [solver[1]!, -1], [solver[2]!]];
    const actual = byTurn([group], { agentRewards: "shared" });
    for (const [q, turns] of expected.entries()) for (const [i, value] of turns.entries()) expect(actual[q]![i]).toBeCloseTo(value, 12);
  });

  it("have what their own turns earned, and what none did", () => {
    // Beyond the turns' own: 1, 0, 0. The solver has 2, 0, 0, the checker 2, 1.
    const solver = [4 / 3, -2 / 3, -2 / 3];
    const expected = [[solver[0]!, 0.5, solver[0]!], [solver[1]!, -0.5], [solver[2]!]];
    const actual = byTurn([group], { agentRewards: "own" });
    for (const [q, turns] of expected.entries()) for (const [i, value] of turns.entries()) expect(actual[q]![i]).toBeCloseTo(value, 12);
  });

  it("have returns of their own turns", () => {
    // Solver: [2, 1], [0], [0]; checker: [2], [1]. Places: the solver's first 2, 0, 0, its second 1 alone.
    const expected = [[4 / 3, 0.5, 0], [-2 / 3, -0.5], [-2 / 3]];
    const actual = byTurn([group], { agentRewards: "own", credit: "turn" });
    for (const [q, turns] of expected.entries()) for (const [i, value] of turns.entries()) expect(actual[q]![i]).toBeCloseTo(value, 12);
  });

  it("leave an agent alone that is not trained, whatever it earned", () => {
    const frozen = (checker: number) =>
      group.map(({ total, turns }) => ({
        total,
        turns: turns.map((turn) => (turn.agent === "checker" ? { ...turn, reward: checker, frozen: true } : turn)),
      }));
    const solverOf = (rows: readonly (readonly number[])[]) => rows.map((row) => row.filter((_, i) => i % 2 === 0));
    const plain = byTurn([group], { agentRewards: "own" });
    // What the checker earns is taken from what nobody earned by itself, which is the solver's too.
    const other = byTurn([frozen(1)], { agentRewards: "own" });
    expect(solverOf(other)).toEqual(solverOf(plain));
    for (const row of other) expect(row[1] ?? 0).toBe(0);
  });

  it("are compared by length with their own tokens", () => {
    const uneven = [
      {
        total: 1,
        turns: [
          { tokens: 2, agent: "a" },
          { tokens: 8, agent: "b" },
        ],
      },
      {
        total: 0,
        turns: [
          { tokens: 6, agent: "a" },
          { tokens: 8, agent: "b" },
        ],
      },
    ];
    const actual = byTurn([uneven], { advantageBaseline: "length-weighted" });
    expect(actual[0]![0]).toBeCloseTo(1 - 2 / 8, 12);
    expect(actual[0]![1]).toBeCloseTo(0.5, 12);
  });
});

describe("the turns of completions", () => {
  it("are the runs of sampled tokens, with what the report and the reward say of each", () => {
    const report = { metrics: {}, turns: [{ agent: "a" }, { agent: "b" }] };
    const sources = [{ mask: [1, 1, 0, 0, 1], report, rewards: [0.5, 1] }, { mask: [1, 0, 1, 1] }];
    expect(turnSpans(sources, Int32Array.of(0, 3, 6)).turns_Q).toEqual([
      [
        { start: 0, end: 2, agent: "a", reward: 0.5 },
        { start: 2, end: 3, agent: "b", reward: 1 },
      ],
      [
        { start: 3, end: 4, agent: null, reward: 0 },
        { start: 4, end: 6, agent: null, reward: 0 },
      ],
    ]);
    expect(turnSpans([{ mask: [1, 1] }], Int32Array.of(0, 2))).toEqual({});
  });
});
