// The rollouts that a save keeps are those that were sampled, to the bit: what the engine answers of a step that comes
// from a save is what it answered while the run went on.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunConfig, RunConfigInput } from "../../../../src/protocol/config.ts";
import type { StepGroups } from "../../../../src/protocol/messages.ts";
import { encodeGroups, groupsFile, readGroups } from "../../../../src/train/save/kept/groupFile.ts";
import { KeptSteps } from "../../../../src/train/save/kept/keptSteps.ts";
import { readPart, writePart } from "../../../../src/train/save/parts.ts";
import { readSave } from "../../../../src/train/save/readSave.ts";
import { type DrivenSession, driveSession } from "../../../support/driveSession.ts";
import { memoryStore } from "../../../support/memoryStore.ts";

const SMALL = { model: "transformer", startFrom: "random", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, intermediateSize: 16 } as const;
const SHORT = { threads: 1, backend: "wasm", promptsPerStep: 2, groupSize: 3, evalEvery: 2, evalProblems: 4, evalSamples: 1 } as const;

const REWARDS = { rewardRules: { lengthTarget: { target: 2 } } } as const;

const RUNS: Readonly<Record<string, RunConfigInput>> = {
  "a table": { task: "digit-sum", model: "tabular", promptsPerStep: 2, groupSize: 8, steps: 8, evalEvery: 4, evalProblems: 4 },
  "a critic of its own": {
    ...SMALL,
    ...SHORT,
    task: "digit-sum",
    algorithm: "ppo",
    criticTrunk: "own",
    klCoef: 0.05,
    klEstimator: "k3",
    steps: 3,
  },
  "minibatches and a change": {
    ...{ ...SMALL, ...SHORT, task: "digit-sum", steps: 5, innerEpochs: 2, minibatches: 2, learningRate: 0.01, klEstimator: "k3" },
    changes: [{ afterStep: 2, settings: { temperature: 1.3 } }],
  },
  "calls of a calculator": {
    ...SHORT,
    task: "calculator",
    taskOptions: { operations: 1 },
    maxCompletionTokens: 24,
    steps: 2,
    evalEvery: 0,
  },
  "a game": {
    ...SHORT,
    ...SMALL,
    task: "grid-world",
    taskOptions: { size: 2, walls: 0 },
    credit: "turn",
    maxCompletionTokens: 8,
    steps: 2,
  },
  "worked examples": { ...SMALL, ...SHORT, kind: "supervised", task: "digit-sum", demonstrationsPerStep: 4, steps: 3 },
};

/** Takes all steps one by one and asks for each. */
async function trained(session: DrivenSession, config: RunConfigInput): Promise<readonly StepGroups[]> {
  await session.send({ type: "start", runId: "run", config, paused: true });
  const live: StepGroups[] = [];
  for (let step = 1; step <= config.steps!; step++) {
    await session.send({ type: "advance", unit: "step" });
    live.push(await session.send({ type: "inspect", step }));
  }
  await session.send({ type: "stop" });
  await session.send({ type: "save" });
  return live;
}

describe.each(Object.entries(RUNS))("the kept steps of %s", (_, config) => {
  it("are, when the run is opened from its save, as they were", async () => {
    const store = memoryStore();
    const live = await trained(await driveSession({ store }), config);
    const saved = readSave("run", await store.read("run"));
    expect(saved.kept.map(({ step }) => step)).toEqual(live.map(({ step }) => step));
    const kept = new KeptSteps(saved.kept);
    for (const { oldestStep: _, isPast: __, ...step } of live) expect(await kept.read(step.step, saved.config)).toEqual(step);
  }, 60_000);
});

describe("a kept step", () => {
  let known: { readonly step: StepGroups; readonly config: RunConfig } | null = null;
  const run = async () => {
    if (known) return known;
    const session = await driveSession();
    const [step] = await trained(session, { ...RUNS["a critic of its own"]!, steps: 1 });
    known = { step: step!, config: session.all("started").at(-1)!.config };
    return known;
  };

  /** A run whose steps the engine has let go of, with the last of them. */
  const letGo = async () => {
    const store = memoryStore();
    const session = await driveSession({ store });
    const config = { ...RUNS["a table"]!, steps: 210, evalEvery: 0 };
    await session.send({ type: "start", runId: "run", config, paused: true });
    await session.send({ type: "advance", unit: "step" });
    const live = await session.send({ type: "inspect", step: 1 });
    const scored = await session.send({ type: "otherwise", step: 1, settings: REWARDS });
    const over = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "resume" });
    await over;
    return { session, live, scored };
  };

  it("is answered when the engine itself has let go of it, with the mark of that, also under other rewards", async () => {
    const { session, live, scored } = await letGo();
    expect(session.all("saved").at(-1)!.kept).toContain(1);
    const { oldestStep, isKept, ...kept } = await session.send({ type: "inspect", step: 1 });
    expect({ oldestStep, isKept }).toEqual({ oldestStep: 11, isKept: true });
    const { oldestStep: _, ...wanted } = live;
    expect(kept).toEqual(wanted);
    expect(await session.send({ type: "otherwise", step: 1, settings: REWARDS })).toEqual(scored);
    const part = await session.send({ type: "inspect", step: 1, promptIndex: 1 });
    expect([part.groups, part.summaries]).toEqual([[live.groups[1]], live.summaries]);
    await expect(session.send({ type: "inspect", step: 1, promptIndex: 2 })).rejects.toThrow("promptIndex must be < 2, got 2");
    await expect(session.send({ type: "inspect", step: 300 })).rejects.toThrow("step 300 is no longer kept for inspection");
  });

  it("keeps numbers that JSON lacks, and texts that are not their pieces", async () => {
    const { step, config } = await run();
    const [group] = step.groups;
    const [first, ...others] = group!.trajectories;
    const odd = {
      ...first!,
      ...{ text: "→", reward: Number.NaN, advantage: -0, turnRewards: [Number.NEGATIVE_INFINITY, 1e-310] },
      ...{
        channels: {
          ...first!.channels,
          values: first!.channels.values!.map(() => -0),
          advantages: first!.channels.advantages!.map(() => 0.1),
        },
      },
    };
    const written = { ...step, groups: [{ ...group!, trajectories: [odd, ...others] }, ...step.groups.slice(1)] };
    const { oldestStep: _, ...wanted } = written;
    const file = await groupsFile(1, encodeGroups(written, config)!);
    expect(await readGroups(file, 1, config)).toEqual(wanted);
  });

  it("has no entropies where the model did not tell them", async () => {
    const { step, config } = await run();
    const untold = (trajectory: StepGroups["groups"][number]["trajectories"][number]) => ({
      ...trajectory,
      channels: { ...trajectory.channels, sampledEntropies: null, trainEntropies: null },
    });
    const { oldestStep: _, ...whole } = step;
    const wanted = { ...whole, groups: whole.groups.map((group) => ({ ...group, trajectories: group.trajectories.map(untold) })) };
    const file = await groupsFile(1, encodeGroups({ ...wanted, oldestStep: 1 }, config)!);
    expect(await readGroups(file, 1, config)).toEqual(wanted);
  });

  it("keeps what nobody recorded or said as absent", async () => {
    const { step, config } = await run();
    const unsaid = (trajectory: StepGroups["groups"][number]["trajectories"][number]) => ({
      ...trajectory,
      ...{ stopReason: null, advantage: null, success: null },
      rewardParts: trajectory.rewardParts.map((part) => ({ ...part, weight: null })),
      channels: { ...trajectory.channels, oldLogprobs: null, trainLogprobs: null, advantages: null, lossWeights: null },
    });
    const { oldestStep: _, ...whole } = step;
    const wanted = { ...whole, groups: whole.groups.map((group) => ({ ...group, trajectories: group.trajectories.map(unsaid) })) };
    const file = await groupsFile(1, encodeGroups({ ...wanted, oldestStep: 1 }, config)!);
    expect(await readGroups(file, 1, config)).toEqual(wanted);
  });

  it("that was changed by hand is refused with a sentence or is a whole step: 300 ways", async () => {
    const { step, config } = await run();
    const { bytes, jsonBytes } = encodeGroups(step, config)!;
    const text = new TextDecoder().decode(bytes.subarray(0, jsonBytes));
    const { oldestStep: _, ...whole } = step;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom("0", "9", "null", '"', "{}", "[]", "-1", "1e999"), async (at, put) => {
        const json = new TextEncoder().encode(text.slice(0, at) + put + text.slice(at + 1));
        const changed = new Uint8Array([...json, ...bytes.subarray(jsonBytes)]);
        const file = await groupsFile(1, { bytes: changed, jsonBytes: json.length });
        try {
          const read = await readGroups(file, 1, config);
          // A digit or a letter may have become another one.
          expect(read.groups.map(({ trajectories }) => trajectories.length)).toEqual(
            whole.groups.map(({ trajectories }) => trajectories.length),
          );
        } catch (error) {
          refused += 1;
          expect((error as Error).message).toMatch(/groups\/1|config|phase|must|summaries/);
        }
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it("that is damaged is refused with the name of its file", async () => {
    const { step, config } = await run();
    const file = await groupsFile(1, encodeGroups(step, config)!);
    const hurt = file.slice();
    hurt[hurt.length - 1]! ^= 4;
    await expect(readGroups(hurt, 1, config)).rejects.toThrow("groups/1 is damaged");
    await expect(readGroups(file, 2, config)).rejects.toThrow("groups/2 holds step 1");
  });

  it("that says to be smaller than it unfolds to is not unfolded", async () => {
    const { step, config } = await run();
    const file = await groupsFile(1, encodeGroups(step, config)!);
    const { header, payload } = readPart(file, "a");
    const bomb = writePart({ ...(header as object), bytes: 100, jsonBytes: 50 }, payload);
    await expect(readGroups(bomb, 1, config)).rejects.toThrow("groups/1 must unfold to 100 bytes, got more");
    const liar = writePart({ ...(header as object), bytes: 2 ** 40 }, payload);
    await expect(readGroups(liar, 1, config)).rejects.toThrow("bytes");
  });
});
