// Problems that have no room in the model's context: a list of them is refused before the run, one that comes later is left out.
import { afterEach, describe, expect, it } from "vitest";
import { problemTask } from "../../../src/library/problemTask.ts";
import { ggufFolder } from "../../../src/model/folder/ggufFolder.ts";
import { fileOf } from "../../../src/model/folder/modelFolder.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { Host } from "../../../src/train/host.ts";
import { checkFits, estimateRun } from "../../../src/train/memory/memoryCheck.ts";
import { openPlan } from "../../../src/train/start/openedPlan.ts";
import { planRun, type RunPlan } from "../../../src/train/start/plan.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const driven: DrivenSession[] = [];
afterEach(async () => {
  for (const session of driven.splice(0)) await session.send({ type: "reset" }).catch(() => undefined);
});

/** A model of 128 positions, each of which is a byte of what is said. */
const shape = { ...foreignConfig, maxPositions: 128 };
const file = ggufFile({ config: shape, weights_N: sharpWeights(shape, 3) }, foreignTexts);
const withModel: Partial<Host> = { openModel: async () => ggufFolder(fileOf(file)) };

const problems = Array.from({ length: 24 }, (_, i) => ({ question: `What is ${i} + 1?`, answer: `${i + 1}` }));
const settings: RunConfigInput = {
  ...{ task: "mine", startFrom: "checkpoint", checkpoint: "lab/tiny", loraRank: 2, backend: "wasm", evalEvery: 0, evalProblems: 2 },
  ...{ promptsPerStep: 4, groupSize: 2, steps: 6, maxCompletionTokens: 8, trainOrder: "epochs", autosaveEvery: 0 },
};
const withList = (list: readonly { readonly question: string; readonly answer: string }[], more: RunConfigInput = {}): RunConfigInput => ({
  ...settings,
  customTasks: { mine: { problems: [...list] } },
  ...more,
});
const long = { question: `Long: ${"x".repeat(300)}`, answer: "1" };
const near = { question: `Near: ${"é".repeat(40)}`, answer: "1" };

async function run(config: RunConfigInput, host: Partial<Host> = {}) {
  const session = await driveSession({ ...withModel, ...host });
  driven.push(session);
  await session.send({ type: "start", runId: "a", config, paused: true });
  await session.send({ type: "advance", unit: "step" });
  for (let step = 1; step < 6; step++) await session.send({ type: "advance", unit: "step" });
  const steps = session.events.flatMap((event) => (event.type === "steps" ? event.records : []));
  const notices = session.events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  return { steps, notices, leftOut: steps.reduce((sum, { metrics }) => sum + (metrics["sampling/left_out"] ?? 0), 0) };
}

const checked = async (plan: RunPlan, host: Host) => checkFits(await openPlan(plan, host), host);

describe("a list with a problem that is too long", () => {
  it("is refused before the run, by the problem, its tokens and what would do", async () => {
    const refused = run(withList([...problems, long]));
    await expect(refused).rejects.toThrow(
      /no maxCompletionTokens is small enough: the problem "Long: x+\.\.\. \(mine\/(train|held out)\/\d+\) has (\d+) tokens, and \2 \+ 8 > 128 positions of the model; 1 of \d+ problems are too long, or longProblems: leave-out trains without them$/,
    );
    const plan = planRun({ config: withList([...problems, near]) });
    const host = createNodeHost(withModel);
    const { problem } = await estimateRun(plan, host);
    const [, most, tokens] = /maxCompletionTokens must be <= (\d+), got 8: .* has (\d+) tokens/.exec(problem ?? "") ?? [];
    expect(Number(tokens) + Number(most)).toBe(128);
    const fits = planRun({ config: withList([...problems, near], { maxCompletionTokens: Number(most) }) });
    await expect(checked(fits, host)).resolves.toBeUndefined();
    // One that goes on leaves it out.
    await expect(checked({ ...plan, saved: {} as never }, host)).resolves.toBeUndefined();
  });

  it("counts the examples that are shown first, and worked answers", async () => {
    const host = createNodeHost(withModel);
    const check = (more: RunConfigInput) => checked(planRun({ config: withList(problems, more) }), host);
    await expect(check({})).resolves.toBeUndefined();
    await expect(check({ examples: [{ question: "y".repeat(100), answer: "1" }] })).rejects.toThrow("lab/tiny knows 128");
    const solved = [...problems, { question: "Why?", answer: "1", solution: "z".repeat(200) }];
    const supervised = { ...withList([]), customTasks: { mine: { problems: solved } }, kind: "supervised" } as const;
    await expect(checked(planRun({ config: supervised }), host)).rejects.toThrow("tokens with its answer > 128 positions");
  });

  it("is trained on without it where somebody says so, and it is counted", async () => {
    const { steps, notices, leftOut } = await run(
      withList([long, ...problems, { ...long, question: `${long.question}y` }], { longProblems: "leave-out" }),
    );
    expect(steps).toHaveLength(6);
    expect(leftOut).toBeGreaterThan(0);
    expect(notices.filter((notice) => notice.startsWith("A problem that is too long is left out"))).toHaveLength(1);
  });

  it("is measured in pieces between which others go on", async () => {
    let [yields, time] = [0, 0];
    const host = createNodeHost({
      ...withModel,
      now: () => (time += 1),
      yield: async () => {
        yields += 1;
      },
    });
    const task = problemTask({
      id: "mine",
      problems: Array.from({ length: 4000 }, (_, i) => ({ question: `What is ${i}?`, answer: "1" })),
    });
    const { customTasks: _, ...config } = withList([]);
    await checked(planRun({ config }, { tasks: [task], rewardRules: [] }), host);
    expect(yields).toBeGreaterThan(100);
  });
});

describe("an endless task", () => {
  it("leaves out what is too long and goes on", async () => {
    let drawn = 0;
    const task = problemTask({
      id: "mine",
      problems: (random) => {
        drawn += 1;
        return { question: `${random.below(1_000_000)} ${"x".repeat(random.below(3) === 0 ? 200 : 1)}`, answer: "1" };
      },
    });
    const { customTasks: _, trainOrder: __, ...config } = withList([]);
    const { steps, leftOut } = await run({ ...config, evalEvery: 3, evalProblems: 6 }, { additions: { tasks: [task], rewardRules: [] } });
    expect(steps).toHaveLength(6);
    expect(leftOut).toBeGreaterThan(0);
    expect(drawn).toBeGreaterThan(24);
  });
});
