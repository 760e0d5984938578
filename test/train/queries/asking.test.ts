// Asking the model of a run: answers of now and of the start, and the likeliest alternatives of tokens. A
// run that was asked goes on as one that was not.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";

const small: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", threads: 1, backend: "wasm" },
  ...{ hiddenSize: 32, layers: 2, heads: 4, kvHeads: 4, intermediateSize: 88, learningRate: 0.01, innerEpochs: 2 },
  ...{ promptsPerStep: 2, groupSize: 4, steps: 3, evalEvery: 0, evalProblems: 4, evalSamples: 2 },
};
const table: RunConfigInput = { task: "digit-sum", algorithm: "grpo", model: "tabular", steps: 3, evalEvery: 0, klCoef: 0.1 };
const cases: readonly (readonly [string, RunConfigInput])[] = [
  ["a transformer", small],
  ["a transformer with a reference", { ...small, klCoef: 0.1, referenceSyncEvery: 1 }],
  ["a transformer on TensorFlow.js", { ...small, backend: "tfjs-wasm" }],
  ["adapters beside a base", { ...small, loraRank: 2, klCoef: 0.1 }],
  ["adapters on TensorFlow.js", { ...small, loraRank: 2, backend: "tfjs-wasm" }],
  ["a logits table", table],
];

const begun = async (config: RunConfigInput) => {
  const session = await driveSession();
  await session.send({ type: "start", runId: "a", config, paused: true });
  return session;
};
type Session = Awaited<ReturnType<typeof begun>>;

/** All that is recorded of a run's steps but the time they took. */
const recorded = (session: Session) =>
  session
    .all("steps")
    .flatMap(({ records }) => records)
    .map(({ step, metrics }) => [step, metrics.reward, metrics.loss, metrics.kl, metrics.entropy]);

describe("asking the model", () => {
  it.each(cases)("of %s gives the same answers twice at the start, and others once it has learnt", async (_, config) => {
    const session = await begun(config);
    const first = await session.send({ type: "ask", samples: 4 });
    expect(first.start).toEqual(first.now);
    expect(first.now.samples).toHaveLength(4);
    for (const { pieces, probabilities } of [first.now.greedy, ...first.now.samples]) {
      expect(pieces).toHaveLength(probabilities.length);
      expect(probabilities.every((p) => p > 0 && p <= 1)).toBe(true);
    }
    for (let step = 0; step < 3; step++) await session.send({ type: "advance", unit: "step" });
    const last = await session.send({ type: "ask", samples: 4 });
    expect([last.step, last.start]).toEqual([3, first.start]);
    expect(last.now).not.toEqual(last.start);
    await session.send({ type: "reset" });
  });

  it("judges a sum that somebody asks in the form the task trains on", async () => {
    const session = await begun({ ...small, task: "boxed-arithmetic", maxCompletionTokens: 6 });
    const asked = await session.send({ type: "ask", prompt: "What is 17 + 25?", samples: 2 });
    expect(asked.expected).toBe("42");
    expect([asked.now.greedy, ...asked.now.samples].map(({ isRight }) => isRight)).not.toContain(null);
    const other = await session.send({ type: "ask", prompt: "What is the colour of 7?", samples: 2 });
    expect([other.expected, other.now.greedy.isRight]).toEqual([null, null]);
    await session.send({ type: "reset" });
  });

  it.each(cases)("leaves a run of %s as it was, also while it goes on", async (_, config) => {
    const plain = await begun(config);
    await plain.send({ type: "resume" });
    await plain.next("state", ({ state }) => state === "finished");
    const asked = await begun(config);
    await asked.send({ type: "ask", samples: 2 });
    const finished = asked.next("state", ({ state }) => state === "finished");
    await asked.send({ type: "resume" });
    await Promise.all([asked.send({ type: "ask", samples: 2 }), asked.send({ type: "ask", samples: 3 })]);
    await finished;
    expect(recorded(asked)).toEqual(recorded(plain));
    expect(recorded(asked)).toHaveLength(3);
    for (const session of [plain, asked]) await session.send({ type: "reset" });
  });

  it("puts a prompt in the place of a held-out problem's, and refuses one without room", async () => {
    const session = await begun({ ...small, task: "boxed-arithmetic", maxCompletionTokens: 6 });
    const { messages, expected, now } = await session.send({ type: "ask", prompt: "What is one and one?", samples: 1 });
    expect(messages.at(-1)).toEqual({ role: "user", content: "What is one and one?" });
    expect([expected, now.greedy.isRight, now.samples[0]!.isRight]).toEqual([null, null, null]);
    await expect(session.send({ type: "ask", prompt: "7 ".repeat(1999), samples: 1 })).rejects.toThrow(
      /^prompt must be <= \d+ tokens, got \d+$/,
    );
    await session.send({ type: "reset" });
  });
});

/** Two digits, right where they add up to 9. */
const sums: RunConfigInput = { ...table, taskOptions: { length: 2, target: 9 }, steps: 60 };

describe("an answer", () => {
  it("is right where the task counts it so, of its first problem and of one that is named", async () => {
    const session = await begun(sums);
    const finished = session.next("state", ({ state }) => state === "finished");
    const asked = [await session.send({ type: "ask", samples: 16 })];
    await session.send({ type: "resume" });
    await finished;
    asked.push(await session.send({ type: "ask", samples: 16 }));
    for (const { expected, start, now } of asked) {
      expect(expected).toBe("9");
      for (const { pieces, isRight } of [start!, now].flatMap(({ greedy, samples }) => [greedy, ...samples]))
        expect(isRight).toBe(pieces.reduce((sum, digit) => sum + Number(digit), 0) === 9);
    }
    const rights = asked.map(({ now }) => now.samples.filter(({ isRight }) => isRight).length);
    expect(rights[1]).toBeGreaterThan(rights[0]!);
    await session.send({ type: "reset" });
  });

  it("is judged where the prompt is another of the task's problems", async () => {
    const session = await begun({ ...small, task: "boxed-arithmetic", maxCompletionTokens: 6 });
    const { prompts } = await session.send({ type: "probes" });
    const question = prompts[1]!.messages.at(-1)!.content;
    const { messages, expected, now } = await session.send({ type: "ask", prompt: question, samples: 2 });
    expect([messages.at(-1)!.content, expected]).toEqual([question, prompts[1]!.answer]);
    expect(now.samples.every(({ isRight }) => isRight === false)).toBe(true);
    await session.send({ type: "reset" });
  });
});

describe("the alternatives of a token", () => {
  it.each(cases)("of %s are those it was drawn from, and those after the update", async (_, config) => {
    const session = await begun({ ...config, measureUpdate: true });
    await session.send({ type: "advance", unit: "phase" });
    const ask = { type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 1 } as const;
    const sampled = await session.send(ask);
    expect(sampled.alternatives_T.flat().every(({ before, after }) => before !== null && after === null)).toBe(true);
    await session.send({ type: "advance", unit: "step" });
    const { alternatives_T } = await session.send(ask);
    const { groups } = await session.send({ type: "inspect", step: 1, promptIndex: 0 });
    const { tokens, channels } = groups[0]!.trajectories[1]!;
    for (const [t, shown] of alternatives_T.entries()) {
      const said = shown.find(({ token }) => token === tokens[t]);
      expect(Math.log(said!.before!)).toBeCloseTo(channels.oldLogprobs![t]!, 4);
      expect(Math.log(said!.after!)).toBeCloseTo(channels.newLogprobs![t]!, 4);
      for (const when of ["before", "after"] as const)
        expect(shown.reduce((sum, one) => sum + one[when]!, 0)).toBeLessThanOrEqual(1 + 1e-9);
      expect(shown.length).toBeGreaterThanOrEqual(5);
    }
    await session.send({ type: "reset" });
  });

  it.each([cases[0]!, cases[3]!])("of %s are those around a place where one is named, and none elsewhere", async (_, config) => {
    const session = await begun({ ...config, task: "boxed-arithmetic", maxCompletionTokens: 20 });
    await session.send({ type: "advance", unit: "step" });
    const ask = { type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 1 } as const;
    const { alternatives_T: all } = await session.send(ask);
    const { alternatives_T, places } = await session.send({ ...ask, index: 17 });
    expect(places).toEqual([16, 20]);
    expect(alternatives_T.map((row) => row.length > 0)).toEqual(all.map((_, t) => t >= 16));
    for (const [t, row] of alternatives_T.entries())
      for (const [i, { token, after }] of row.entries()) {
        expect(token).toBe(all[t]?.[i]?.token);
        expect(after).toBeCloseTo(all[t]![i]!.after!, 6);
      }
    await expect(session.send({ ...ask, index: 20 })).rejects.toThrow("index must be < 20, got 20");
    await session.send({ type: "reset" });
  });

  it.each([0, 2])(
    "of an agent that plays the frozen start are those it drew from, before and after, at an adapters' rank of %s",
    async (loraRank) => {
      const options = { largestOperand: 9, rounds: 2, trained: "checker", frozenStart: "solver" };
      const started = { task: "checked-arithmetic", taskOptions: options, threads: 1, temperature: 0.7, loraRank, learningRate: 0.01 };
      const session = await begun({ ...started, promptsPerStep: 2, groupSize: 4, evalEvery: 0, evalProblems: 4, evalSamples: 2 });
      await session.send({ type: "advance", unit: "step" });
      await session.send({ type: "advance", unit: "step" });
      const place = { step: 2, promptIndex: 0, trajectoryIndex: 0 } as const;
      const { groups } = await session.send({ type: "inspect", step: 2, promptIndex: 0 });
      const { tokens, report, sampled, channels } = groups[0]!.trajectories[0]!;
      const { alternatives_T } = await session.send({ type: "alternatives", ...place });
      expect(report!.turns.map(({ agent }) => agent).slice(0, 2)).toEqual(["solver", "checker"]);
      const solver = sampled.indexOf(0);
      for (const [t, row] of alternatives_T.slice(0, solver).entries()) {
        for (const { before, after } of row) expect(after).toBe(before);
        expect(row.find(({ token }) => token === tokens[t])!.before).toBeCloseTo(Math.exp(channels.oldLogprobs![t]!), 4);
      }
      const checker = alternatives_T.slice(solver).flat();
      expect(checker.filter(({ before, after }) => before !== after).length).toBeGreaterThan(10);
      await expect(session.send({ type: "attribution", ...place, tokenIndex: 0 })).rejects.toThrow("the policy did not say this token");
      await session.send({ type: "reset" });
    },
  );

  it.each([0, 2])("of worked examples have the temperature that they are trained at, at an adapters' rank of %s", async (loraRank) => {
    const session = await begun({ ...small, loraRank, kind: "supervised", temperature: 0.3, demonstrationsPerStep: 2 });
    await session.send({ type: "advance", unit: "phase" });
    const { alternatives_T } = await session.send({ type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 });
    await session.send({ type: "advance", unit: "phase" });
    const { groups } = await session.send({ type: "inspect", step: 1, promptIndex: 0 });
    const { tokens, channels } = groups[0]!.trajectories[0]!;
    for (const [t, row] of alternatives_T.entries())
      expect(row.find(({ token }) => token === tokens[t])!.before).toBeCloseTo(Math.exp(channels.oldLogprobs![t]!), 4);
    await session.send({ type: "reset" });
  });

  it("of a step are not read off the weights that the next one's update has made since", async () => {
    const session = await begun({ ...table, measureUpdate: true });
    await session.send({ type: "advance", unit: "step" });
    const ask = { type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 } as const;
    const own = await session.send(ask);
    // Sampled, scored, compared: then step 2's update, before step 2 is over.
    for (let phase = 0; phase < 4; phase++) await session.send({ type: "advance", unit: "phase" });
    const later = await session.send(ask);
    const afters = ({ alternatives_T }: typeof own) => alternatives_T.map((row) => new Map(row.map(({ token, after }) => [token, after])));
    for (const [t, row] of afters(later).entries())
      for (const [token, after] of row) if (afters(own)[t]?.has(token)) expect(after).toBe(afters(own)[t]?.get(token));
    expect(later.alternatives_T.flat().every(({ before, after }) => before === null && after !== null)).toBe(true);
    await session.send({ type: "reset" });
  });

  it("are there on both sides of the step that a run was told to go on to", async () => {
    const session = await begun(table);
    const paused = session.next("state", ({ state }) => state === "paused");
    await session.send({ type: "resume", until: 2 });
    await paused;
    const { alternatives_T } = await session.send({ type: "alternatives", step: 2, promptIndex: 0, trajectoryIndex: 0 });
    expect(alternatives_T.flat().every(({ before, after }) => before !== null && after !== null)).toBe(true);
    await session.send({ type: "reset" });
  });

  it("are refused where the step's weights are gone", async () => {
    const session = await begun(table);
    for (let step = 0; step < 3; step++) await session.send({ type: "advance", unit: "step" });
    const ask = session.send({ type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 });
    await expect(ask).rejects.toThrow("the weights of step 1 are gone; the engine was at step 3 when it was asked");
    await session.send({ type: "reset" });
  });
});
