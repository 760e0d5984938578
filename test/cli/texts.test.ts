import { expect, it } from "vitest";
import { saidText } from "../../src/export/writtenRun.ts";

it("a message is told with its speaker, its calls and what is wrong with them", () => {
  expect(saidText({ role: "user", content: "What is 56 + 67?" })).toEqual(["user", "What is 56 + 67?"]);
  expect(saidText({ role: "assistant", content: "", toolCalls: [{ name: "calculate", arguments: { expression: "56 + 67" } }] })).toEqual([
    "assistant",
    'calculate({"expression":"56 + 67"})',
  ]);
  expect(
    saidText({ role: "assistant", agent: "solver", content: "<tool_call>{</tool_call> ", toolCallProblems: ["It is not JSON."] }),
  ).toEqual(["solver", "<tool_call>{</tool_call> [It is not JSON.]"]);
});
