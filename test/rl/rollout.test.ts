import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../src/model/renderers/chat.ts";
import { digitsRenderer } from "../../src/model/renderers/digits.ts";
import { singleTurnEnvs } from "../../src/rl/envs/singleTurn.ts";
import { rolloutGroups } from "../../src/rl/rollout.ts";
import type { EnvBuilder, Example } from "../../src/rl/types.ts";
import { labTokenizer } from "../model/tokenizerFixture.ts";

const example = (id: string): Example => ({ id, messages: [{ role: "user", content: id }], answer: "" });
const chat = createChatRenderer(labTokenizer());

/** Sampled arrays from rows of ids, padded with -1; log-probs count down so that each is told apart. */
function sampled(rows: readonly (readonly number[])[], T: number, stopped: readonly number[]) {
  const tokens_BT = new Int32Array(rows.length * T).fill(-1);
  rows.forEach((row, b) => {
    tokens_BT.set(row, b * T);
  });
  const logprobs_BT = Float32Array.from({ length: rows.length * T }, (_, i) => -i);
  return { tokens_BT, lengths_B: Int32Array.from(rows, (row) => row.length), logprobs_BT, stopped_B: Uint8Array.from(stopped) };
}

describe("rolloutGroups", () => {
  it("gives each problem its own completions with ids, log-probs and masks as sampled", () => {
    const rows = [[1, 2], [3], [], [4, 5, 6]];
    const examples = [example("a"), example("b")];
    const prompts = [[10], [10, 10]];
    const groups = rolloutGroups({
      examples,
      prompts,
      copies: 2,
      maxNewTokens: 3,
      result: sampled(rows, 3, [0, 0, 0, 0]),
      envs: singleTurnEnvs,
      renderer: digitsRenderer,
    });
    expect(groups.map((group) => group.example.id)).toEqual(["a", "b"]);
    const all = groups.flatMap((group) => group.trajectories);
    expect(all.map(({ tokens }) => tokens)).toEqual(rows);
    expect(all.map(({ logprobs }) => logprobs)).toEqual([[-0, -1], [-3], [], [-9, -10, -11]]);
    expect(all.map(({ mask }) => mask)).toEqual([[1, 1], [1], [], [1, 1, 1]]);
    expect(all.map(({ promptTokens }) => promptTokens)).toEqual([[10], [10], [10, 10], [10, 10]]);
    expect(all[0]?.messages).toEqual([...examples[0]!.messages, { role: "assistant", content: "12" }]);
  });

  it("tells a finished completion from one cut off by the limit", () => {
    const [end] = chat.stopTokens;
    const words = labTokenizer().encodePlain("Hi");
    const rows = [[...words, end ?? 0], words];
    const groups = rolloutGroups({
      examples: [example("a")],
      prompts: [[1]],
      copies: 2,
      maxNewTokens: 8,
      result: sampled(rows, 8, [1, 0]),
      envs: singleTurnEnvs,
      renderer: chat,
    });
    expect(groups[0]?.trajectories.map(({ stopReason }) => stopReason)).toEqual(["completed", "max-tokens"]);
    expect(groups[0]?.trajectories.map(({ messages }) => messages.at(-1)?.content)).toEqual(["Hi", "Hi"]);
  });

  it("counts a full length as complete where nothing stops a completion", () => {
    const groups = rolloutGroups({
      examples: [example("a")],
      prompts: [[10]],
      copies: 1,
      maxNewTokens: 2,
      result: sampled([[1, 2]], 2, [0]),
      envs: singleTurnEnvs,
      renderer: digitsRenderer,
    });
    expect(groups[0]?.trajectories[0]?.stopReason).toBe("completed");
  });

  it("keeps ids that text would not bring back", () => {
    const bytes = [...new TextEncoder().encode("What")].map((byte) => labTokenizer().encodePlain(String.fromCharCode(byte))[0] ?? 0);
    expect(labTokenizer().encodePlain("What")).not.toEqual(bytes);
    const groups = rolloutGroups({
      examples: [example("a")],
      prompts: [[1]],
      copies: 1,
      maxNewTokens: 4,
      result: sampled([bytes], 4, [0]),
      envs: singleTurnEnvs,
      renderer: chat,
    });
    expect(groups[0]?.trajectories[0]).toMatchObject({ tokens: bytes });
    expect(groups[0]?.trajectories[0]?.messages.at(-1)?.content).toBe("What");
  });

  it("refuses an environment that wants another turn", () => {
    const endless: EnvBuilder = { build: ({ messages }) => ({ start: () => ({ messages }), step: () => ({ messages }) }) };
    const request = {
      examples: [example("a")],
      prompts: [[10]],
      copies: 1,
      maxNewTokens: 1,
      result: sampled([[1]], 1, [0]),
      envs: endless,
      renderer: digitsRenderer,
    };
    expect(() => rolloutGroups(request)).toThrow("internal: the environment of a asks for a second turn");
    expect(() => rolloutGroups({ ...request, prompts: [] })).toThrow("internal: 1 examples but 0 prompts");
  });
});
