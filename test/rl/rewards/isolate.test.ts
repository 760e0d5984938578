import { describe, expect, it } from "vitest";
import { createIsolate, type IsolatedBatch, type IsolatedThread } from "../../../src/rl/rewards/isolate.ts";
import { planRun, rewardModel } from "../../../src/train/run/start.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { answered } from "../trajectoryFixture.ts";

const example = { id: "e", messages: [{ role: "user" as const, content: "?" }], answer: "1" };

describe("a regular expression", () => {
  it("that backtracks for ever costs its conversation the verdict, and nobody else", async () => {
    const host = createNodeHost();
    const config = { rewardRules: { pattern: { pattern: "^(a+)+$" } }, rewardWeights: { sumCloseness: 0 } };
    const rewards = rewardModel(planRun({ config }), host);
    const texts = ["aaa", `${"a".repeat(60)}!`, "b"];
    const rollouts = texts.map((text) => ({ example, trajectory: answered(example, text) }));
    let isAlive = false;
    setTimeout(() => {
      isAlive = true;
    }, 20);
    const verdicts = await rewards.scoreBatch(rollouts, { maxCompletionTokens: 1, overlongBuffer: 0 });
    const found = verdicts.map(({ parts }) => parts.find(({ name }) => name === "pattern")!);
    expect(found.map(({ value }) => value)).toEqual([1, null, 0]);
    expect(found[1]!.reason).toBe("took longer than 1000 ms");
    // Signals and commands were let in meanwhile.
    expect(isAlive).toBe(true);
  });
});

describe("the isolated thread", () => {
  /** Answers 0 to whatever is not "late"; time passes as it is slept. */
  function fakeHost() {
    let [time, started, closed] = [0, 0, 0];
    const startIsolated = (): IsolatedThread => {
      started += 1;
      const thread: IsolatedThread = {
        onAnswer: null,
        close() {
          closed += 1;
        },
        post({ inputs }: IsolatedBatch) {
          thread.onAnswer?.("up");
          const until = inputs.indexOf("late");
          for (const _ of until < 0 ? inputs : inputs.slice(0, until)) thread.onAnswer?.(0);
        },
      };
      return thread;
    };
    const sleep = async (ms: number) => {
      time += ms;
    };
    return { host: { startIsolated, sleep, now: () => time }, counts: () => ({ started, closed }) };
  }
  const job = { kind: "pattern", source: "a", flags: "su" } as const;

  it("is made again where it is late, and asked no more once it was late three times", async () => {
    const { host, counts } = fakeHost();
    const isolate = createIsolate(host);
    const late = { reason: "took longer than 1000 ms" };
    expect(await isolate.run({ job, inputs: ["late", "x", "late"] })).toEqual([late, 0, late]);
    const rest = { reason: "was not asked, since 3 before it took longer than 1000 ms" };
    expect(await isolate.run({ job, inputs: ["late", "late", "x", "late", "x", "x"] })).toEqual([late, late, 0, late, rest, rest]);
    expect(counts()).toEqual({ started: 5, closed: 5 });
  });
});
