import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isFailure } from "../../../src/rl/envs/stepEnvs.ts";
import type { TaskInstance } from "../../../src/rl/tasks/task.ts";
import type { Message } from "../../../src/rl/types.ts";
import type { Host } from "../../../src/train/host.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { hostileEnvironments } from "../../support/hostileEnvironments.ts";
import { isLong } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const problems = ["Say one.", "Say two."].map((question) => ({ question, answer: "1" }));
const SAID: readonly Message[] = [
  { role: "assistant", content: "", toolCalls: [{ id: "a", name: "look", arguments: { at: "here" } }] },
  { role: "assistant", content: "one" },
];

/** Sentences on what ended two conversations with the environment, or kept them from being opened; what is no sentence stands as it is. */
async function converse(source: string, host: Host): Promise<readonly unknown[]> {
  const own = { environment: { source, workMs: 5, turns: 2 }, ...(source.includes("draw") ? {} : { problems }) };
  const config: RunConfigInput = { task: "mine", customTasks: { mine: own } };
  let instance: TaskInstance;
  try {
    instance = planRun({ config }).instance;
    await instance.prepare?.(host);
  } catch (error) {
    return [error instanceof Error ? error.message : error];
  }
  const openings = instance
    .trainLoader()
    .next(2)
    .map((example, seed) => ({ example, seed }));
  const envs = await instance.envs.buildEnvs!(openings);
  let live = envs.map((env) => {
    const { messages } = env.start();
    return { env, messages };
  });
  const ended: unknown[] = [];
  for (const message of SAID) {
    const stepped = await instance.envs.stepEnvs!(live.map(({ env }) => ({ env, action: { message } })));
    live = live.filter((_, i) => {
      const state = stepped[i]!;
      if (isFailure(state)) ended.push(state.reason);
      else if (state?.messages.some(({ content }) => typeof content !== "string")) ended.push(state);
      return state !== null && !isFailure(state);
    });
    if (live.length === 0) break;
  }
  for (const env of envs) {
    const { metrics, turns } = env.report!();
    const figures = [...Object.values(metrics), ...turns.flatMap(({ reward }) => reward ?? [])];
    if (!figures.every(Number.isFinite)) ended.push(figures);
  }
  return ended;
}

describe("somebody's hostile environment", () => {
  it("harms nobody: its conversations end with a sentence, and an honest one goes on behind it", async () => {
    const host = createNodeHost();
    const honest =
      'export const step = ({ text }) => ({ done: true, reward: text.length + (Object.prototype.polluted ?? 0) + ("seen" in globalThis ? 1 : 0) });';
    const all = hostileEnvironments();
    const tried = isLong ? all : all.filter((_, i) => i % 23 === 0);
    expect(all.length).toBeGreaterThanOrEqual(1000);
    expect(tried.length).toBeGreaterThanOrEqual(40);
    const wrong: string[] = [];
    for (const [i, { does, source }] of tried.entries()) {
      for (const said of await converse(source, host))
        if (typeof said !== "string" || said.length === 0 || said.length > 400 || said.startsWith("internal"))
          wrong.push(`${does}: ${typeof said === "string" ? said.slice(0, 500) : JSON.stringify(said)}`);
      if (i % 10 === 0) expect(await converse(honest, host), does).toEqual([]);
    }
    expect(wrong).toEqual([]);
    expect(Object.prototype).not.toHaveProperty("polluted");
  }, 900_000);
});
