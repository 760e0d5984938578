import { describe, expect, it } from "vitest";
import type { MessageRecord, TrajectoryRecord } from "../../../../../src/protocol/records.ts";
import { agentsOf, conversationParts } from "../../../../../src/ui/step/rollouts/conversation/turns.ts";
import { tokenFacts } from "../../../../../src/ui/step/tokens/tokenFacts.ts";
import { trajectory } from "../groups.ts";

const said = (role: MessageRecord["role"], content: string, agent?: string): MessageRecord => ({
  role,
  content,
  ...(agent ? { agent } : {}),
});

/** Three turns of two agents: the first makes two calls at once. */
const sampled = [1, 1, 0, 0, 0, 1, 0, 1, 1];
const talk: TrajectoryRecord = {
  ...trajectory(1, 0.5, sampled.length),
  sampled,
  messages: [
    said("assistant", "ask", "solver"),
    said("tool", "4"),
    said("tool", "5"),
    said("assistant", "9", "solver"),
    said("user", "right?"),
    said("assistant", "yes", "checker"),
  ],
  report: { metrics: {}, turns: [{ agent: "solver", reward: 0 }, { agent: "solver" }, { agent: "checker", reward: 1 }] },
};

describe("the parts of a conversation", () => {
  const parts = conversationParts(talk, tokenFacts(talk, null));

  it("are cut where the speaker changes, and have all tokens in order", () => {
    expect(parts.map(({ kind, first, tokens }) => [kind, first, tokens.length])).toEqual([
      ["sampled", 0, 2],
      ["inserted", 2, 3],
      ["sampled", 5, 1],
      ["inserted", 6, 1],
      ["sampled", 7, 2],
    ]);
    expect(parts.flatMap(({ tokens }) => tokens.map(({ index }) => index))).toEqual(sampled.map((_, t) => t));
  });

  it("have each turn's own message and report, and what was said in between", () => {
    expect(
      parts.map((part) =>
        part.kind === "sampled" ? [part.message?.content, part.report?.reward] : part.messages.map(({ content }) => content),
      ),
    ).toEqual([["ask", 0], ["4", "5"], ["9", undefined], ["right?"], ["yes", 1]]);
    expect(agentsOf(parts)).toEqual(["solver", "checker"]);
  });

  it("are one turn where nothing was inserted, also without messages", () => {
    const plain = trajectory(0, 0, 3);
    const [part, ...more] = conversationParts(plain, tokenFacts(plain, null));
    expect(more).toEqual([]);
    expect(part).toMatchObject({ kind: "sampled", turn: 0, message: null, report: null });
  });
});
