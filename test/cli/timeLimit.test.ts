// Custom code that takes too long: what it was asked for is given up, with the reason, and everything else
// goes on.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadGiven, loadNamed } from "../../src/cli/custom/additions.ts";
import { buildEnvs, stepEnvs } from "../../src/rl/envs/stepEnvs.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { rewardModel } from "../../src/train/start/runRewards.ts";
import { answered } from "../rl/trajectoryFixture.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const folder = mkdtempSync(join(tmpdir(), "rollout-lab-limit-"));
afterAll(() => rmSync(folder, { recursive: true }));
const from = join(folder, "config.yaml");
writeFileSync(
  join(folder, "mine.mjs"),
  `export const reward = ({ text }) => { if (text.startsWith("loop")) for (;;); return text.length; };
export const regular = ({ text }) => (/^(a+)+$/.test(text) ? 1 : 0);
export const waits = async ({ text }) => (text === "loop" ? new Promise(() => {}) : 1);
const problems = ["a", "b", "c", "d"].map((question) => ({ question, answer: "x" }));
const stuck = (text) => { if (text.includes("loop")) for (;;); };
export const task = {
  id: "own", problems, maxTurns: 2,
  env({ question }, seed) {
    let messages = [{ role: "user", content: question }];
    if (seed === 7) for (;;);
    return {
      start: () => ({ messages }),
      step({ message }) {
        stuck(message.content);
        messages = [...messages, message, { role: "user", content: "go on" }];
        return { messages };
      },
    };
  },
  score: ({ text }) => (stuck(text), 1),
  success: ({ text }) => (stuck(text.replace("slow", "loop")), true),
};
const run = ({ text }) => (stuck(text), "done");
export const tools = { id: "tools", problems, tools: [{ name: "work", description: "Works.", parameters: { text: "string" }, run }] };
export const draws = { id: "draws", problems: () => { for (;;); } };
`,
);
const limit = { maxCompletionTokens: 1, overlongBuffer: 0 };
const late = "took longer than 200 ms";
const rest = `was not asked, since 3 before it ${late}`;
const example = { id: "own/train/0", messages: [{ role: "user" as const, content: "?" }], answer: "x" };
const planned = async (given: Readonly<Record<string, unknown>>) => {
  const { input, loaded } = await loadGiven({ callSeconds: 0.2, ...given }, from);
  const host = createNodeHost(loaded ? { additions: loaded.additions } : {});
  return { plan: planRun({ config: input }, host.additions), host };
};
async function verdicts(given: Readonly<Record<string, unknown>>, name: string, texts: readonly string[]) {
  const { plan, host } = await planned(given);
  const rollouts = texts.map((text) => ({ example, trajectory: answered(example, text) }));
  const rewards = await rewardModel(plan, host).scoreBatch(rollouts, limit);
  const parts = rewards.map((reward) => reward.parts.find((part) => part.name === name)!);
  return { rewards, found: parts.map(({ value, reason }) => reason ?? value) };
}

describe("a reward of one's own", () => {
  it.each([
    ["loops", "reward", ["ab", "loop", "abc"], [2, late, 3]],
    ["backtracks for ever", "regular", ["aa", `${"a".repeat(60)}!`, "b"], [1, late, 0]],
    ["waits for ever", "waits", ["a", "loop", "b"], [1, late, 1]],
  ])("that %s costs its conversation the verdict, and nobody else", async (_, name, texts, expected) => {
    const { found } = await verdicts({ task: "digit-sum", reward: `./mine.mjs:${name}` }, name, texts);
    expect(found).toEqual(expected);
  });

  it("that is late three times is not asked for the rest of the batch", async () => {
    const texts = ["loop", "a", "loop", "loop", "a", "b"];
    const { found } = await verdicts({ task: "digit-sum", reward: "./mine.mjs:reward" }, "reward", texts);
    expect(found).toEqual([late, 1, late, late, rest, rest]);
  });

  it("that answers at once is scored at once", async () => {
    const { plan, host } = await planned({ task: "digit-sum", reward: "./mine.mjs:reward" });
    const rollouts = [{ example, trajectory: answered(example, "abc") }];
    expect(rewardModel(plan, host).scoreBatch(rollouts, limit)).toMatchObject([{ total: 3 }]);
  });
});

describe("a task of one's own", () => {
  const action = (content: string) => ({ message: { role: "assistant" as const, content } });

  it("whose environment loops ends that conversation alone, as one that takes a step does", async () => {
    const { instance } = (await planned({ task: "./mine.mjs:task" })).plan;
    const [one] = instance.trainLoader().next(1);
    const envs = await buildEnvs(
      instance.envs,
      [1, 7, 2].map((seed) => ({ example: one!, seed })),
    );
    expect(envs.map((env) => env.start().messages)).toEqual([one!.messages, one!.messages, one!.messages]);
    const stepped = await stepEnvs(instance.envs, [
      { env: envs[0]!, action: action("loop") },
      { env: envs[1]!, action: action("a") },
      { env: envs[2]!, action: action("a") },
    ]);
    expect(stepped).toMatchObject([{ reason: late }, { reason: late }, { messages: { length: 3 } }]);
    // One by one, as worked conversations are.
    const env = instance.envs.build(one!, 1);
    env.start();
    expect(() => env.step(action("loop"))).toThrow(late);
  });

  it("whose tool loops ends that conversation alone", async () => {
    const { instance } = (await planned({ task: "./mine.mjs:tools" })).plan;
    const [one] = instance.trainLoader().next(1);
    const envs = await buildEnvs(
      instance.envs,
      [1, 2].map((seed) => ({ example: one!, seed })),
    );
    for (const env of envs) env.start();
    const call = (text: string) => ({
      message: { role: "assistant" as const, content: "", toolCalls: [{ id: "c", name: "work", arguments: { text } }] },
    });
    const stepped = await stepEnvs(instance.envs, [
      { env: envs[0]!, action: call("loop") },
      { env: envs[1]!, action: call("a") },
    ]);
    expect(stepped).toMatchObject([{ reason: late }, { messages: { 2: { role: "tool", content: "done" } } }]);
    expect(envs[1]!.report?.().metrics).toMatchObject({ turns: 1, calls: 1 });
  });

  it("whose score or success loops gives no verdict, or is not right", async () => {
    const { found, rewards } = await verdicts({ task: "./mine.mjs:task" }, "answer", ["loop", "a", "slow"]);
    expect(found).toEqual([late, 1, 1]);
    expect(rewards.map(({ success }) => success)).toEqual([false, true, false]);
  });

  it("that never draws a problem is refused with the sentence", async () => {
    const { instance } = (await planned({ task: "./mine.mjs:draws" })).plan;
    expect(() => instance.trainLoader().next(1)).toThrow(/own.*took longer|took longer/);
    expect(() => instance.evaluation(1)).toThrow(/took longer/);
  });
});

describe("callSeconds", () => {
  it("is kept with the run, and stands beside code of one's own alone", async () => {
    const { loaded } = await loadGiven({ task: "digit-sum", reward: "./mine.mjs:reward", callSeconds: 0.2 }, from);
    expect(loaded!.named.callSeconds).toBe(0.2);
    expect((await loadNamed(loaded!.named))!.named).toEqual(loaded!.named);
    await expect(loadGiven({ task: "digit-sum", callSeconds: 1 }, from)).rejects.toThrow("callSeconds must stand beside");
    await expect(loadGiven({ task: "./mine.mjs:task", callSeconds: 0 }, from)).rejects.toThrow(/callSeconds must be/);
  });
});
