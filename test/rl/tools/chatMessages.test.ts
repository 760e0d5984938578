// Messages as others read and write them.
import { expect, it } from "vitest";
import { messagesRead, messagesWritten } from "../../../src/rl/tools/chatMessages.ts";
import type { Message } from "../../../src/rl/types.ts";

const call = (name: string) => ({ id: "call-1", name, arguments: { x: 1 } });
const said: readonly Message[] = [
  { role: "user", content: "?" },
  { role: "assistant", content: "", toolCalls: [call("a"), call("b")] },
  { role: "tool", content: "1", toolCallId: "call-1" },
  { role: "tool", content: "2", toolCallId: "call-1" },
  { role: "assistant", content: "", agent: "solver", toolCalls: [call("a")] },
  { role: "tool", content: "as before: 1", toolCallId: "call-1" },
  { role: "assistant", content: "3" },
];

it("calls of a conversation have ids that differ, which their results name", () => {
  const written = messagesWritten(said);
  expect(written[1]).toEqual({
    role: "assistant",
    content: "",
    tool_calls: ["a", "b"].map((name, i) => ({ id: `call_${i + 1}`, type: "function", function: { name, arguments: '{"x": 1}' } })),
  });
  expect(written.map(({ tool_call_id: id }) => id)).toEqual([undefined, undefined, "call_1", "call_2", undefined, "call_3", undefined]);
  expect(JSON.stringify(written)).not.toMatch(/toolCall/);
});

it("what was written is read back, and so is what was written before", () => {
  const read = messagesRead(messagesWritten(said), "messages");
  expect(read.map(({ toolCalls }) => toolCalls?.map(({ name, arguments: given }) => ({ name, given })))).toEqual(
    said.map(({ toolCalls }) => toolCalls?.map(({ name, arguments: given }) => ({ name, given }))),
  );
  expect(read[4]?.agent).toBe("solver");
  expect(messagesRead(said, "messages")).toEqual(said);
});
