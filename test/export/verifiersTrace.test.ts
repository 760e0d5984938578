// Conversations as verifiers keeps them; its own reader is asked by npm run test:interop.
import { expect, it } from "vitest";
import { episodeOf, trajectoryLine } from "../../src/export/verifiersTrace.ts";

const call = { name: "calculate", arguments: { expression: "2 * 3" } };
const line = trajectoryLine.parse({
  ...{ step: 4, prompt: 1, member: 2, exampleId: "2 * 3", answer: "6", stopReason: "completed", reward: 1, success: true },
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "2 * 3?" },
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", content: "6" },
    { role: "assistant", content: "6" },
  ],
  rewardParts: [
    { name: "right", value: 1, weight: 1 },
    { name: "calls", value: 1, weight: 0 },
    { name: "cost", value: null, weight: 0.5 },
  ],
  promptTokens: [1, 2, 3],
  tokens: [10, 11, 20, 21, 22, 12],
  sampled: [1, 1, 0, 0, 0, 1],
  logprobs: [-1, -2, 0, 0, 0, -3],
  newLogprobs: [-1, -2, 0, 0, 0, -3],
  refLogprobs: [null, null, null, null, null, null],
  entropies: [1, 1, 0, 0, 0, 1],
  advantages: [0.5, 0.5, 0, 0, 0, 0.5],
});
const episode = episodeOf(line, { task: "calculator", runId: "mine", version: "0.1.0", begun: 7 });
const [trace] = episode.traces;

it("nodes follow each other and their tokens joined are what the policy saw", () => {
  expect(trace?.nodes.map(({ parent }) => parent)).toEqual([undefined, 0, 1, 2, 3]);
  expect(trace?.nodes.map(({ token_ids }) => token_ids)).toEqual([[], [1, 2, 3], [10, 11], [20, 21, 22], [12]]);
  expect(trace?.nodes.flatMap(({ mask }) => mask)).toEqual([false, false, false, true, true, false, false, false, true]);
});

it("sampled turns have a log-prob and an advantage for each token, and nothing that was not recorded", () => {
  expect(trace?.nodes[2]).toMatchObject({ sampled: true, logprobs: [-1, -2], advantages: [0.5, 0.5] });
  expect(trace?.nodes[2]).not.toHaveProperty("reference_logprobs");
  expect(trace?.nodes[2]?.message).toMatchObject({ tool_calls: [{ name: "calculate", arguments: '{"expression":"2 * 3"}' }] });
  expect(trace?.nodes[3]?.message).toEqual({ role: "tool", content: "6", tool_call_id: "call-2-0" });
});

it("parts without a weight are metrics, and what could not be scored is null", () => {
  expect(trace?.rewards).toEqual({ right: { score: 1, weight: 1 }, cost: null });
  expect(trace?.metrics).toEqual({ calls: 1 });
  expect(episode.group.id).toBe("mine-4-1");
  expect(episode.task.data.prompt).toHaveLength(2);
});

it("a turn that follows another one without a word between begins with what was inserted", () => {
  const messages = ["user", "assistant", "assistant"].map((role) => ({ role, content: "" }));
  const told = episodeOf(trajectoryLine.parse({ ...line, messages }), { task: "two", runId: "mine", version: "0.1.0", begun: 7 });
  const nodes = told.traces[0]?.nodes;
  expect(nodes?.map(({ token_ids }) => token_ids)).toEqual([
    [1, 2, 3],
    [10, 11],
    [20, 21, 22, 12],
  ]);
  expect(nodes?.[2]).toMatchObject({ mask: [false, false, false, true], logprobs: [-3] });
});
