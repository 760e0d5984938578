import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { judgeSchema } from "../../../src/protocol/custom/judges.ts";
import { isSameStep, type StepRecord } from "../../../src/protocol/records.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

const right = { checkpoint: "agents", asTurns: true, prompt: "Is this right? Work it out, then say yes or no.", scale: { yes: 1, no: 0 } };
const judges = { checker: { ...right, read: "written" as const } };
const SMALL: RunConfigInput = {
  ...{ task: "boxed-arithmetic", promptsPerStep: 2, groupSize: 4, steps: 3, evalEvery: 0, evalProblems: 1, evalSamples: 1, seed: 3 },
  ...{ backend: "wasm", threads: 1 },
  rewardWeights: { boxedAnswer: 0, boxedForm: 0 },
};
const CONFIG: RunConfigInput = { ...SMALL, judges };

async function finished(session: DrivenSession, config: RunConfigInput, runId = "judged"): Promise<readonly StepRecord[]> {
  const over = session.next("state", ({ state }) => state === "finished" || state === "failed");
  await session.send({ type: "start", runId, config });
  await over;
  return session.all("steps").flatMap((event) => (event.runId === runId ? event.records : []));
}

/** The run as it is where nothing is known beforehand and nothing ends it. */
let alone: Promise<readonly StepRecord[]> | undefined;
const trainedAlone = () => {
  alone ??= driveSession().then((session) => finished(session, CONFIG));
  return alone;
};

const expectSame = (a: readonly StepRecord[], b: readonly StepRecord[]) => {
  expect(a.length).toBe(b.length);
  expect(a.every((record, i) => isSameStep(record, b[i]!))).toBe(true);
};

describe("a run with a judge", () => {
  it("gives the same bits whether its verdicts were known or not, and tells model, cost and verdicts", async () => {
    const session = await driveSession();
    const first = await finished(session, CONFIG);
    const again = await finished(session, CONFIG, "again");
    const elsewhere = await trainedAlone();
    expectSame(first, again);
    expectSame(first, elsewhere);
    expect(again[0]!.metrics).toMatchObject({ "judge/asked": 8, "judge/cached": 1, "judge/tokens": 0 });
    expect(elsewhere[0]!.metrics["judge/tokens"]).toBeGreaterThan(0);
    expect(session.all("started").at(-1)!.backend.judges).toEqual([
      { name: "checker", checkpoint: "agents", backend: "wasm", parameters: expect.any(Number) },
    ]);
    const { groups } = await session.send({ type: "inspect", step: 3 });
    for (const { trajectories } of groups)
      for (const { rewardParts, reward } of trajectories) {
        const part = rewardParts.find(({ name }) => name === "checker")!;
        expect(part.value === null ? part.reason : part.judged!.said).toMatch(
          part.value === null ? /^wrote / : part.value === 1 ? /yes$/ : /no$/,
        );
        expect(reward).toBe(part.value);
      }
  });

  it("goes on from its save to the bit, though nothing of what was known is kept", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    const whole = await trainedAlone();
    await first.send({ type: "start", runId: "judged", config: CONFIG, paused: true });
    for (let step = 0; step < 2; step++) await first.send({ type: "advance", unit: "step" });
    await first.send({ type: "save" });
    store.crash();
    const later = await driveSession({ store: store.otherTab() });
    const over = later.next("state", ({ state }) => state === "finished" || state === "failed");
    await later.send({ type: "continue", runId: "judged" });
    await over;
    const history = later.all("history")[0]!.steps;
    const rest = later.all("steps").flatMap(({ records }) => records);
    expectSame([...history, ...rest], whole);
    expect(later.all("notice")).toEqual([]);
  });

  it("takes a judge on the way as one that was written down for that step", async () => {
    const session = await driveSession();
    const planned = await finished(session, { ...SMALL, changes: [{ afterStep: 2, settings: { judges } }] }, "planned");
    const live = await driveSession();
    await live.send({ type: "start", runId: "live", config: SMALL, paused: true });
    for (let step = 0; step < 2; step++) await live.send({ type: "advance", unit: "step" });
    const told = live.next("settings");
    await live.send({ type: "set", settings: { judges: { checker: judgeSchema.parse(judges.checker) } } });
    expect(Object.keys((await told).config!.judges)).toEqual(["checker"]);
    await live.send({ type: "advance", unit: "step" });
    expectSame(
      live.all("steps").flatMap(({ records }) => records),
      planned,
    );
    expect(planned[1]!.metrics["judge/asked"]).toBeUndefined();
    expect(planned[2]!.metrics["judge/asked"]).toBe(8);
  });

  it("does not start where the model is not there, and says which judge lacks which", async () => {
    const session = await driveSession();
    const judge = { ...right, checkpoint: "nobody" };
    await expect(session.send({ type: "start", runId: "a", config: { ...SMALL, judges: { checker: judge } } })).rejects.toThrow(
      /judges\.checker\.checkpoint.*nobody/,
    );
  });

  it("counts the judge's model in its memory", async () => {
    const session = await driveSession();
    const without = await session.send({ type: "estimate", config: SMALL });
    const { parts, bytes } = await session.send({ type: "estimate", config: CONFIG });
    const part = parts.find(({ title }) => title.includes("judge"))!;
    expect(part.title).toBe("The judge checker, beside the policy");
    expect(part.bytes).toBeGreaterThan(1e6);
    expect(bytes).toBe(without.bytes + part.bytes);
  });

  it("judges the frozen start too, typed answers and kept steps", async () => {
    const session = await driveSession();
    const config: RunConfigInput = { ...SMALL, steps: 1, judges: { start: { prompt: "{question} {text}", scale: { "1": 1, "0": 0 } } } };
    await finished(session, config);
    expect(session.all("started")[0]!.backend.judges).toMatchObject([{ name: "start", checkpoint: "base" }]);
    const answers = [{ question: "What is 2 + 2?", answer: "4", text: "4" }];
    const { verdicts, cost } = await session.send({ type: "try-judge", config, name: "start", answers });
    expect(verdicts[0]).toMatchObject({ value: expect.any(Number), odds: { "1": expect.any(Number), "0": expect.any(Number) } });
    expect(verdicts[0]!.prompt).toContain("<|im_start|>user\nWhat is 2 + 2? 4<|im_end|>");
    expect(cost).toMatchObject({ asked: 1, cached: 0 });
    await expect(session.send({ type: "try-judge", config, name: "nobody", answers })).rejects.toThrow("judges must have");
    const { groups } = await session.send({ type: "inspect", step: 1 });
    const rescored = await session.send({
      type: "otherwise",
      step: 1,
      settings: { judges: { ...session.all("started")[0]!.config.judges } },
    });
    expect(rescored.groups.map(({ trajectories }) => trajectories.map(({ rewardParts }) => rewardParts))).toEqual(
      groups.map(({ trajectories }) => trajectories.map(({ rewardParts }) => rewardParts)),
    );
  });
});
