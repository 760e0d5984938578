// A function over a group's values: what it is shown, what its rewards become, and that null stays null.
import { describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { type GroupTransform, type JudgedGroup, transformHere, transformRewards } from "../../../src/rl/rewards/groupTransform.ts";
import type { Reward, Trajectory } from "../../../src/rl/types.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const trajectory = (text: string): Trajectory => ({
  ...{ promptTokens: [1], tokens: [2], mask: [1], logprobs: [0], entropies: [0], stopReason: "completed" },
  messages: [
    { role: "user", content: "?" },
    { role: "assistant", content: text },
  ],
});
const reward = (total: number | null): Reward => ({
  total,
  success: false,
  parts: [{ name: "right", value: total, weight: 1 }],
  turns: [1],
});
const groups = [
  { example: { id: "e", messages: [{ role: "user", content: "?" }] as const, answer: "4" }, trajectories: ["a", "b", "c"].map(trajectory) },
];
const totals = [1, null, 0] as const;
const under = async (transform: GroupTransform) => (await transformRewards(groups, [totals.map(reward)], transformHere(transform)))[0]!;

describe("a transform", () => {
  it("is shown the problem and every part of every conversation", async () => {
    const seen: JudgedGroup[] = [];
    await under((group) => {
      seen.push(group);
      return totals;
    });
    expect(seen).toEqual([
      {
        question: "?",
        answer: "4",
        members: ["a", "b", "c"].map((text, i) => ({ text, stopReason: "completed", parts: { right: totals[i] }, total: totals[i] })),
      },
    ]);
  });

  it("leaves null as it is, and records what it adds as a part, so that the parts sum up", async () => {
    const found = await under(({ members }) => members.map(() => 3));
    expect(found.map(({ total }) => total)).toEqual([3, null, 3]);
    for (const { total, parts, turns } of found)
      if (total !== null) {
        expect(parts.reduce((sum, { value, weight }) => sum + weight! * value!, 0)).toBe(total);
        expect(turns).toBeUndefined();
      }
    expect((await under(({ members }) => members.map(() => null))).map(({ total }) => total)).toEqual([null, null, null]);
  });

  it("that fails, or gives too few or no numbers, gives no verdict and the reason", async () => {
    const reasons = async (transform: GroupTransform) => (await under(transform))[0]!.parts.at(-1);
    expect(await reasons(() => [1])).toMatchObject({ name: "rewardTransform", value: null, reason: "must give 3 rewards, got 1" });
    expect(await reasons(({ members }) => members.map(() => Number.NaN))).toMatchObject({ reason: "must be a finite number, got NaN" });
    expect(
      await reasons(() => {
        throw new Error("no such part");
      }),
    ).toMatchObject({ reason: "no such part" });
  });
});

const table: RunConfigInput = { task: "digit-sum", model: "tabular", steps: 3, evalEvery: 0, promptsPerStep: 2, groupSize: 4, seed: 1 };
const NORMALISED =
  "export function transform({ members, member }, { options }) { const best = Math.max(...members.map(({ total }) => total ?? 0)); return members[member].total === best ? options.best : 0; }";

describe("a run with a transform", () => {
  it("learns from what it gives, in the sandbox as from the library, to the bit", async () => {
    const best: GroupTransform = ({ members }) => {
      const most = Math.max(...members.map(({ total }) => total ?? 0));
      return members.map(({ total }) => (total === most ? 2 : 0));
    };
    const own = await trainRun(table, createNodeHost({ additions: { rewardTransform: best } }));
    const coded = await trainRun({ ...table, rewardTransform: { source: NORMALISED, options: { best: 2 } } }, createNodeHost());
    const plain = await trainRun(table, createNodeHost());
    const rewards = (run: typeof own) => run.steps.map(({ metrics }) => metrics.reward);
    expect(rewards(coded)).toEqual(rewards(own));
    expect(rewards(coded)).not.toEqual(rewards(plain));
    const { groups: seen } = await coded.engine.ask({ type: "inspect", step: 1 });
    for (const { trajectories } of seen) expect(Math.max(...trajectories.map(({ reward: total }) => total ?? 0))).toBe(2);
  });

  it("pauses where it fails for more than half the conversations, with the line's reason", async () => {
    const broken = { ...table, rewardTransform: { source: "export const transform = ({ members }) => members[99].total;" } };
    await expect(trainRun(broken, createNodeHost())).rejects.toThrow(/no conversation could be scored: rewardTransform: /);
  });
});
