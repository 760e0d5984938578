// A first step that is tried tells what the run's own first step would be, and leaves the run that follows as it is.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { runSeconds } from "../../../src/protocol/custom/tried.ts";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { driveSession } from "../../support/driveSession.ts";

const config = {
  ...{ task: "boxed-arithmetic", algorithm: "grpo", startFrom: "random", backend: "wasm", threads: 1, hiddenSize: 16, layers: 1 },
  ...{ heads: 2, kvHeads: 2, intermediateSize: 16, promptsPerStep: 2, groupSize: 4, steps: 3, maxCompletionTokens: 8 },
  ...{ evalProblems: 4, evalSamples: 1, evalEvery: 2, learningRate: 0.01 },
} as const satisfies RunConfigInput;

const ownPrompts = (source: string): RunConfigInput => ({
  ...config,
  task: "mine",
  customTasks: { mine: { problems: ["one", "two", "three", "four"].map((question) => ({ question })) } },
  customRewards: { mine: { source } },
});

const untimed = (metrics: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(metrics).filter(([name]) => !isTimedMetric(name) && !name.startsWith("resources/")));

async function trained(asks: boolean) {
  const session = await driveSession();
  const tried = asks ? await session.send({ type: "try-step", config }) : null;
  await session.send({ type: "start", runId: "run", config, paused: true });
  const again = asks ? await session.send({ type: "try-step", config }) : null;
  await session.send({ type: "resume" });
  await session.next("state", ({ state }) => state === "finished");
  const groups = await session.send({ type: "inspect", step: 1 });
  const records = session.all("steps").flatMap((event) => event.records);
  return { tried, again, groups, steps: records.map(({ metrics }) => untimed(metrics)), evaluations: session.all("evaluation") };
}

describe("a first step that is tried", () => {
  it("is the run's own first step to the bit, and the run is the one that nobody tried", async () => {
    const [asked, plain] = [await trained(true), await trained(false)];
    expect(asked.steps).toEqual(plain.steps);
    expect(asked.evaluations).toEqual(plain.evaluations);
    expect(Object.keys(asked.tried!.metrics)).toContain("frac_reward_zero_std");
    expect(plain.steps[0]).toMatchObject(asked.tried!.metrics);
    expect(asked.again!.metrics).toEqual(asked.tried!.metrics);
    expect(asked.tried).toMatchObject({ prompts: 2, groupSize: 4, isWhole: true, scored: 8 });
    const said = plain.groups.groups.flatMap(({ trajectories }) => trajectories.map(({ messages }) => messages.at(-1)!.content));
    for (const { text } of asked.tried!.examples) expect(said).toContain(text);
  });

  it("tells how many answers earn anything, and what a step and the run take", async () => {
    const session = await driveSession();
    const half = "export function reward({ question }) { return question.length === 3 ? 1 : 0; }";
    const tried = await session.send({ type: "try-step", config: ownPrompts(half) });
    const right = tried.examples.filter(({ question }) => question.length === 3);
    expect(right.every(({ reward }) => reward === 1)).toBe(true);
    expect(tried.metrics.reward).toBe(tried.earning / tried.scored);
    expect(tried.metrics.frac_reward_zero_std).toBe(1);
    const { preparation, evaluation, step } = tried.seconds;
    expect(runSeconds(config, tried.seconds)).toBe(preparation + 3 * evaluation + 3 * step);
    expect(runSeconds({ ...config, evalEvery: 0 }, tried.seconds)).toBe(preparation + evaluation + 3 * step);
    expect(runSeconds({ ...config, steps: 0 }, tried.seconds)).toBeNull();
    expect(session.all("asking").some(({ phase }) => phase === "sample")).toBe(true);
    expect(session.all("started")).toEqual([]);
  });

  it("says why it cannot be scored, as the run would", async () => {
    const session = await driveSession();
    const broken = "export function reward({ text }) {\n  return text.nothing.here;\n}";
    await expect(session.send({ type: "try-step", config: ownPrompts(broken) })).rejects.toThrow("no conversation could be scored: mine: ");
    await expect(session.send({ type: "try-step", config: { ...config, kind: "supervised" } })).rejects.toThrow(
      'kind must be "reinforcement" to try its first step, got "supervised"',
    );
  });
});
