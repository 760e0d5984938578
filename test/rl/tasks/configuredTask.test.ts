// What a configuration changes of any task: examples, limits, order and which turns are trained.
import { describe, expect, it } from "vitest";
import { problemTask } from "../../../src/library/problemTask.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { dialogueEnv } from "../../../src/rl/envs/dialogue.ts";
import type { Example } from "../../../src/rl/types.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { recordedStep } from "../recordedStep.ts";

const rows = Array.from({ length: 40 }, (_, i) => ({ question: `What is ${i} + 1?`, answer: String(i + 1) }));
const listed = problemTask({ id: "listed", problems: rows, system: "Answer briefly." });
const planned = (config: RunConfigInput) => planRun({ config }, { tasks: [listed] }).instance;
const questionOf = ({ messages }: Example) => messages.at(-1)!.content;

describe("training problems", () => {
  it("come each once an epoch, in another order the next time, whatever the size of a step", () => {
    const task = planned({ task: "listed", trainOrder: "epochs", seed: 3 });
    const loader = task.trainLoader();
    const first = [...loader.next(7), ...loader.next(25)].map(questionOf);
    const second = loader.next(32).map(questionOf);
    expect(new Set(first).size).toBe(32);
    expect(second).not.toEqual(first);
    expect([...second].sort()).toEqual([...first].sort());
    const held = new Set(task.evaluation(100).map(questionOf));
    expect(first.filter((question) => held.has(question))).toEqual([]);
  });

  it("go on where a save left them, across the end of an epoch", () => {
    const task = planned({ task: "listed", trainOrder: "epochs", trainLimit: 6 });
    const whole = task.trainLoader().next(20).map(questionOf);
    const again = task.trainLoader();
    again.restore(5);
    expect(again.next(15).map(questionOf)).toEqual(whole.slice(5));
    expect(new Set(whole).size).toBe(6);
  });

  it("are the first so many of a task that draws them without end, and of a list", () => {
    for (const trainOrder of ["draws", "epochs"] as const) {
      const drawn = planned({ task: "boxed-arithmetic", trainLimit: 5, trainOrder, seed: 2 });
      const seen = drawn.trainLoader().next(60).map(questionOf);
      expect(new Set(seen).size).toBe(5);
      const unlimited = planned({ task: "boxed-arithmetic", seed: 2 }).trainLoader().next(5).map(questionOf);
      expect(new Set(unlimited)).toEqual(new Set(seen));
      expect(new Set(planned({ task: "listed", trainLimit: 5, trainOrder }).trainLoader().next(60).map(questionOf)).size).toBe(5);
    }
  });

  it("cannot come in epochs where nobody knows how many there are", () => {
    expect(() => planned({ task: "boxed-arithmetic", trainOrder: "epochs" })).toThrow(
      'trainOrder must be "draws" where a task draws its problems without end, got "epochs": trainLimit says how many there are to be',
    );
  });
});

describe("examples", () => {
  const examples = [{ question: "What is 90 + 1?", answer: "\\boxed{91}" }];

  it("stand between the system's message and the question, in training and in evaluations", () => {
    const task = planned({ task: "listed", examples });
    for (const example of [...task.trainLoader().next(2), ...task.evaluation(2)]) {
      expect(example.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
      expect(example.messages[1]!.content).toBe("What is 90 + 1?");
      expect(example.messages[3]!.content).not.toBe("What is 90 + 1?");
    }
  });

  it("are part of the prompt that a step records, and of no turn that is trained", async () => {
    const config: RunConfigInput = {
      task: "boxed-arithmetic",
      model: "transformer",
      backend: "wasm",
      threads: 1,
      promptsPerStep: 1,
      groupSize: 2,
      examples,
    };
    const { groups } = await recordedStep(config, 1);
    const [group] = groups;
    expect(group!.promptPieces.join("")).toContain("91");
    expect(group!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    for (const { messages } of group!.trajectories) expect(messages).toHaveLength(1);
  });

  it("are refused where a task opens its conversations itself, or shows no words", () => {
    const sentence = "examples must be left out in a task that opens its conversations itself";
    expect(() => planned({ task: "digit-sum", examples })).toThrow(sentence);
    const env = () => dialogueEnv({ opening: { messages: [{ role: "user", content: "Guess." }] }, respond: () => ({ messages: null }) });
    const closed = problemTask({ id: "closed", problems: rows, env });
    expect(() => planRun({ config: { task: "closed", examples } }, { tasks: [closed] })).toThrow(sentence);
    expect(() => planned({ task: "listed", examples: [{ question: "?", answer: "" }] })).toThrow(/examples/);
  });
});

describe("turns", () => {
  const calculator: RunConfigInput = {
    task: "calculator",
    model: "transformer",
    backend: "wasm",
    threads: 1,
    promptsPerStep: 2,
    groupSize: 4,
  };

  /** Of each conversation of several turns, how many tokens each turn trains. */
  async function trained(config: RunConfigInput) {
    const { groups } = await recordedStep({ ...calculator, ...config }, 1);
    return groups.flatMap(({ trajectories }) =>
      trajectories.map(({ sampled, channels, messages }) => {
        const turns: { tokens: number; isCall: boolean }[] = [];
        const said = messages.filter(({ role }) => role === "assistant");
        for (const [t, isSampled] of sampled.entries()) {
          if (!isSampled) continue;
          if (sampled[t - 1] !== 1)
            turns.push({ tokens: 0, isCall: (said[turns.length]?.toolCalls ?? said[turns.length]?.toolCallProblems) !== undefined });
          turns.at(-1)!.tokens += channels.mask[t]!;
        }
        return turns;
      }),
    );
  }

  it("are trained all, the last alone, calls alone or answers alone", async () => {
    const all = await trained({});
    expect(all.some((turns) => turns.length > 1)).toBe(true);
    expect(all.flat().every(({ tokens }) => tokens > 0)).toBe(true);
    for (const turns of await trained({ trainTurns: "last" })) {
      expect(turns.slice(0, -1).every(({ tokens }) => tokens === 0)).toBe(true);
      expect(turns.at(-1)!.tokens).toBeGreaterThan(0);
    }
    for (const { tokens, isCall } of (await trained({ trainTurns: "calls" })).flat()) expect(tokens > 0).toBe(isCall);
    for (const { tokens, isCall } of (await trained({ trainTurns: "answers" })).flat()) expect(tokens > 0).toBe(!isCall);
  });

  it("are as many as the configuration says, where the task does not end sooner", async () => {
    const found = await trained({ maxTurns: 1 });
    expect(found.every((turns) => turns.length === 1)).toBe(true);
    expect(planned({ task: "calculator", maxTurns: 9 }).maxTurns).toBe(9);
  });

  it("are picked by a function of one's own, beside what the configuration says", () => {
    const task = problemTask({ id: "own", problems: rows, maxTurns: 3, trainsTurn: ({ index }) => index !== 1 });
    const { trainsTurn } = planRun({ config: { task: "own", trainTurns: "last" } }, { tasks: [task] }).instance;
    const turn = (index: number, count: number) => ({
      index,
      count,
      message: { role: "assistant", content: "" } as const,
      agent: undefined,
    });
    expect([turn(0, 3), turn(1, 2), turn(2, 3)].map((each) => trainsTurn!(each))).toEqual([false, false, true]);
  });
});
