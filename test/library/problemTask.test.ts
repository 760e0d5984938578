// Tasks from questions and answers: what is held out, how answers are judged, what env and speaker see.

import { describe, expect, it } from "vitest";
import { problemTask } from "../../src/library/problemTask.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { StepGroups } from "../../src/protocol/messages.ts";
import type { EvaluationRecord } from "../../src/protocol/records.ts";
import { problemAsked } from "../../src/rl/data/ownPrompt.ts";
import type { QuestionAnswer } from "../../src/rl/data/problemList.ts";
import { singleTurn } from "../../src/rl/envs/dialogue.ts";
import { Random } from "../../src/rl/random.ts";
import { TINY_TRANSFORMER } from "../../src/rl/tasks/digitSum.ts";
import type { Example, Message, Trajectory } from "../../src/rl/types.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { asRule } from "../support/scoring.ts";

const rows = Array.from({ length: 20 }, (_, i) => ({ question: `What is ${i} + 1?`, answer: String(i + 1) }));
const questionOf = ({ messages }: Example) => messages.at(-1)?.content;
const said = (example: Example, text: string): Trajectory => ({
  ...{ promptTokens: [1], tokens: [2], mask: [1], logprobs: [0], entropies: [0], stopReason: "completed" },
  messages: [...example.messages, { role: "assistant", content: text }],
});

describe("a task from a list", () => {
  const task = problemTask({ id: "plus-one", problems: rows }).create({}, 0);

  it("holds out one question in eight, the same for every seed and order, and never trains on them", () => {
    const heldOut = task.evaluation(100).map(questionOf);
    expect(heldOut).toHaveLength(3);
    const turned = problemTask({ id: "plus-one", problems: [...rows].reverse() }).create({}, 7);
    expect(turned.evaluation(100).map(questionOf)).toEqual(heldOut);
    const trained = new Set(task.trainLoader().next(400).map(questionOf));
    expect(trained.size).toBe(17);
    for (const question of heldOut) expect(trained).not.toContain(question);
  });

  it("takes a question that stands there twice on one side only", () => {
    const doubled = problemTask({ id: "plus-one", problems: [...rows, ...rows] }).create({}, 0);
    const heldOut = doubled.evaluation(100).map(questionOf);
    for (const question of doubled.trainLoader().next(400).map(questionOf)) expect(heldOut).not.toContain(question);
  });

  it("judges the number that the answer comes to", () => {
    const [example] = task.evaluation(1);
    for (const [text, right] of [
      [`\\boxed{${example!.answer}}`, true],
      [`So it is ${example!.answer}`, true],
      ["#### 77", false],
      ["", false],
    ] as const)
      expect(task.isSuccess(example!, said(example!, text)), text).toBe(right);
  });

  it("refuses a list that nothing can be held out of", () => {
    expect(() => problemTask({ id: "one", problems: rows.slice(0, 1) }).create({}, 0)).toThrow(
      "the task one must have at least 2 different questions, got 1 in 1 problem",
    );
  });
});

it("a drawn task has its own score, environment and speaker", () => {
  const task = problemTask({
    id: "echo",
    system: "Say it again.",
    problems: (random) => ({ question: `say ${random.below(50)}`, answer: "", solution: "again" }),
    score: ({ question, text }) => (question.endsWith(text) ? 1 : 0.25),
  }).create({}, 3);
  const [example] = task.trainLoader().next(1);
  expect(example!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(asRule(task.rewards[0]).score(example!, said(example!, "no"))).toBe(0.25);
  expect(task.isSuccess(example!, said(example!, questionOf(example!)!.slice(4)))).toBe(true);
  expect(task.demonstration(example!, new Random(0), 0)({ messages: example!.messages }).content).toBe("again");
});

it("a run of a task that only the host knows keeps its best checkpoint", async () => {
  const task = problemTask({ id: "plus-one", problems: rows, config: { startFrom: "checkpoint", maxCompletionTokens: 8 } });
  const config = { task: "plus-one", steps: 2, evalEvery: 1, promptsPerStep: 2, groupSize: 2, evalProblems: 2, evalSamples: 1 };
  const run = await trainRun({ ...config, learningRate: 0 }, createNodeHost({ additions: { tasks: [task] } }), { keepBest: true });
  expect(run.steps).toHaveLength(2);
  // The rule of the command line: by sampled accuracy, then by reward.
  const order = (a: EvaluationRecord, b: EvaluationRecord) =>
    b.sampledAccuracy - a.sampledAccuracy ||
    (b.meanReward ?? Number.NEGATIVE_INFINITY) - (a.meanReward ?? Number.NEGATIVE_INFINITY) ||
    a.step - b.step;
  const [best] = [...run.evaluations].sort(order);
  expect(run.evaluations).toHaveLength(3);
  expect(run.best?.evaluation).toEqual(best);
  expect(run.best?.save === null).toBe(best!.step === 0);
  await expect(trainRun(config, createNodeHost())).rejects.toThrow(/^task must be one of .*got "?plus-one/);
});

describe("a custom prompt", () => {
  it("opens the environment of a task from a list or a function, with an empty answer", () => {
    const seen: QuestionAnswer[] = [];
    const env = (problem: QuestionAnswer) => {
      seen.push(problem);
      return singleTurn({ id: "", messages: [{ role: "user", content: problem.question }], answer: problem.answer });
    };
    for (const problems of [rows, () => ({ question: `What is ${rows.length} + 1?`, answer: "21" })] as const) {
      const task = problemTask({ id: "asked", problems, heldOut: rows, env }).create({}, 0);
      const example = problemAsked(task, "And then?", [{ id: "x", messages: [{ role: "user", content: "?" }], answer: "" }]);
      expect(task.envs.build(example, 0).start().messages).toEqual([{ role: "user", content: "And then?" }]);
    }
    expect(seen).toEqual([
      { question: "And then?", answer: "" },
      { question: "And then?", answer: "" },
    ]);
  });
});

describe("a task with several agents", () => {
  const env = (problem: QuestionAnswer) => {
    const messages: Message[] = [{ role: "user", content: problem.question }];
    return {
      start: () => ({ messages: [...messages], agent: "writer" }),
      step({ message }: { readonly message: Message }) {
        messages.push(message);
        if (message.agent === "critic") return null;
        messages.push({ role: "user", content: "And?" });
        return { messages: [...messages], agent: "critic" };
      },
      report: () => ({ metrics: {}, turns: [{ agent: "writer" }, { agent: "critic" }] }),
    };
  };
  const definition = { id: "pair", problems: rows, env, maxTurns: 2, agents: ["writer", "critic"] };

  it("trains those who are not frozen and leaves the others' tokens out of the loss", async () => {
    const task = problemTask({ ...definition, frozenAgents: ["critic"], score: ({ text }) => text.length });
    expect(task.entry.facts.severalAgents).toBe(true);
    const groups: StepGroups[] = [];
    const config = {
      ...TINY_TRANSFORMER,
      task: "pair",
      steps: 1,
      evalEvery: 0,
      promptsPerStep: 2,
      groupSize: 3,
      maxCompletionTokens: 4,
      backend: "wasm",
    } as const;
    const { engine } = await trainRun(config, createNodeHost({ additions: { tasks: [task] } }));
    groups.push(await engine.ask({ type: "inspect", step: 1 }));
    let [ofWriter, ofCritic] = [0, 0];
    for (const { trajectories } of groups[0]!.groups)
      for (const { sampled, channels, messages } of trajectories) {
        // A turn that was cut off by its limit is not answered.
        if (messages.length < 3) continue;
        const second = sampled.indexOf(1, sampled.indexOf(0));
        ofWriter += channels.mask.slice(0, second).reduce((sum, each) => sum + each, 0);
        ofCritic += channels.mask.slice(second).reduce((sum, each) => sum + each, 0);
      }
    expect(ofCritic).toBe(0);
    expect(task.create({}, 0).frozenAgents).toEqual(["critic"]);
    expect(ofWriter).toBeGreaterThanOrEqual(0);
  });

  it.each([
    [{ frozenAgents: ["judge"] }, 'frozenAgents must be among agents (writer, critic), got "judge"'],
    [{ startAgents: ["critic"] }, 'startAgents must be among frozenAgents (none), got "critic"'],
    [{ frozenAgents: ["writer", "critic"] }, "frozenAgents must leave an agent to train, got all of writer, critic"],
    [{ env: undefined }, "agents must stand beside env, whose states say who speaks next"],
    [{ frozen: ["critic"] }, "frozen"],
  ])("refuses %j", (wrong, sentence) => {
    expect(() => problemTask({ ...definition, ...wrong } as never)).toThrow(sentence);
  });
});

describe("arguments of a tool of one's own", () => {
  const withTool = (parameters: unknown, run = (given: unknown) => given) =>
    problemTask({ id: "tooled", problems: rows, tools: [{ name: "convert", description: "Converts.", parameters, run }] } as never);

  it.each([
    [{ unit: "text" }, 'unit must be string, number, boolean, array, object or have a kind of these, got "text"'],
    [{ unit: { kind: "string", choices: [] } }, "unit.choices must be a list of values that are each a string, got []"],
    [{ unit: { kind: "string", enum: ["m"] } }, "enum"],
    [{ unit: { kind: "string", items: "number" } }, "unit.items must be the kind of an array"],
    [{ unit: { kind: "string", optional: 1 } }, "unit.optional must be true or false, got 1"],
  ])("refuses %j", (parameters, sentence) => {
    expect(() => withTool(parameters)).toThrow(sentence);
  });
});
