import { describe, expect, it } from "vitest";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import type { SandboxInput } from "../../../src/rl/sandbox/jobs.ts";
import { hostileCode, memoryBombs } from "../../support/hostileCode.ts";
import { isLong } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { answered } from "../trajectoryFixture.ts";

const example = { id: "e", messages: [{ role: "user" as const, content: "?" }], answer: "1" };
const rollouts = ["a", "b"].map((text) => ({ example, trajectory: answered(example, text) }));
const limit = { maxCompletionTokens: 1, overlongBuffer: 0 };
const input: SandboxInput = { value: JSON.stringify({ text: "ab", messages: [] }), seed: 1 };

describe("somebody's hostile code", () => {
  it("harms nobody: each verdict is a number or null with a reason, and honest code answers behind it", async () => {
    const { sandbox, sleep } = createNodeHost();
    if (!sandbox) throw new Error("Node's host has a sandbox");
    const honest = {
      source: "export const reward = ({ text }) => text.length + (Object.prototype.polluted ?? 0)",
      entry: "reward",
      options: {},
      workMs: 50,
    };
    const all = hostileCode();
    const bombs = memoryBombs();
    const tried = isLong ? [...all, ...bombs] : [...all.filter((_, i) => i % 5 === 0), ...bombs.slice(0, 3)];
    expect(tried.length).toBeGreaterThanOrEqual(isLong ? 1000 : 200);
    const wrong: string[] = [];
    for (const [i, { does, source, verdict }] of tried.entries()) {
      const job = { source, entry: "reward", options: {}, workMs: 5 };
      const value = JSON.stringify({ text: "a", messages: [] });
      const part = { name: "own", title: "Own", help: "", weight: 1, sandboxed: { job, input: () => ({ value, seed: 0 }) } };
      const rewards = weightedReward({ rewards: [part], isSuccess: () => false }, {}, undefined, { limitMs: 60_000, sleep, sandbox });
      for (const { parts } of await rewards.scoreBatch(rollouts, limit)) {
        const { value, reason } = parts[0]!;
        const isRight = value === null ? (reason?.length ?? 0) > 0 && reason!.length < 300 : verdict === "any" && Number.isFinite(value);
        if (!isRight) wrong.push(`${does}: ${value} ${reason}`);
      }
      if (i % 10 === 0) expect(await sandbox.run({ job: honest, inputs: [input] }), does).toEqual([2]);
    }
    expect(wrong).toEqual([]);
  }, 900_000);
});
