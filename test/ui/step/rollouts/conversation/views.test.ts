// What stands beside the turns of a conversation: a board after the reply that is on it, and what was found once.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { TrajectoryRecord, TurnView } from "../../../../../src/protocol/records.ts";
import { Conversation, shownViews } from "../../../../../src/ui/step/rollouts/conversation/Conversation.tsx";
import { isTold } from "../../../../../src/ui/step/rollouts/conversation/TurnReport.tsx";
import { conversationParts } from "../../../../../src/ui/step/rollouts/conversation/turns.ts";
import { tokenFacts } from "../../../../../src/ui/step/tokens/tokenFacts.ts";
import { trajectory } from "../groups.ts";

const board = (caption: string): TurnView => ({ kind: "board", caption, rows: [["X"]] });
const expert: TurnView = { kind: "expert", name: "Ada", query: "2 + 2", price: 1 };

/** A conversation of two turns with a reply between them. */
function game(first: readonly TurnView[], last: readonly TurnView[]): TrajectoryRecord {
  const sampled = [1, 0, 0, 1];
  const messages = [
    { role: "assistant", content: "5" },
    { role: "user", content: "O 8" },
    { role: "assistant", content: "3" },
  ] as const;
  return { ...trajectory(1, 1, 4), sampled, messages, report: { metrics: {}, turns: [{ views: first }, { views: last }] } };
}

describe("what stands beside the turns", () => {
  it("is a board after the reply that is on it, and after the last move where none follows", () => {
    const record = game([board("after O 8")], [board("after 3")]);
    expect(shownViews(conversationParts(record, tokenFacts(record, null)))).toEqual([[], [board("after O 8")], [board("after 3")]]);
  });

  it("is anything else with its own turn", () => {
    const record = game([expert], []);
    expect(shownViews(conversationParts(record, tokenFacts(record, null)))).toEqual([[expert], [], []]);
  });
});

describe("why a call could not be read", () => {
  const [problem, said] = ["tool call 1 must be JSON", "told to the policy"];
  const drawn = (calls: boolean) => {
    const report = calls ? { calls: [{ name: "", given: "", result: problem, failed: true }] } : {};
    const record: TrajectoryRecord = {
      ...game([], []),
      messages: [
        { role: "assistant", content: "", toolCallProblems: [problem] },
        { role: "tool", content: said },
        { role: "assistant", content: "3" },
      ],
      report: { metrics: {}, turns: [report, {}] },
    };
    const tokens = tokenFacts(record, null);
    return renderToStaticMarkup(createElement(Conversation, { messages: [], trajectory: record, tokens, draw: () => null }));
  };

  it("stands once beside the turn, with its call or, where no call is told, by itself", () => {
    expect(drawn(true).split(problem)).toHaveLength(2);
    expect(drawn(false).split(problem)).toHaveLength(2);
  });
});

describe("a result that says what the documents beside it say", () => {
  const documents = [
    { text: "Zonar was founded by Lilas.", score: 1, matched: [] },
    { text: "Tarom was founded by Rated.", score: 0.5, matched: [] },
  ];

  it("need not be told again", () => {
    expect(isTold("Zonar was founded by Lilas.\nTarom was founded by Rated.", documents)).toBe(true);
    expect(isTold("1. Zonar was founded by Lilas.", documents)).toBe(false);
    expect(isTold("Nothing was found.", documents)).toBe(false);
    expect(isTold("Nothing was found.", [])).toBe(false);
  });
});
