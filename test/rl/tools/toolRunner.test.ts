import { describe, expect, it } from "vitest";
import { calculate } from "../../../src/rl/tools/calculate.ts";
import { callsTools, createToolRunner } from "../../../src/rl/tools/toolRunner.ts";
import type { Message } from "../../../src/rl/types.ts";

let calls = 0;
const call = (name: string, given: Readonly<Record<string, unknown>>) => ({ id: `call-${++calls}`, name, arguments: given });
const calling = (...toolCalls: NonNullable<Message["toolCalls"]>): Message => ({ role: "assistant", content: "", toolCalls });
const times = (a: number, b: number) => call("calculate", { expression: `${a} * ${b}` });
const contents = (messages: readonly Message[]) => messages.map(({ content }) => content);

describe("a runner of tools", () => {
  it("answers parallel calls in their order, each with its own message", () => {
    const runner = createToolRunner([calculate], 5);
    const message = calling(times(3, 4), times(5, 6));
    const { messages, calls: reports, isHopeless } = runner.answer(message);
    expect(messages.map(({ role, content, toolCallId }) => [role, content, toolCallId])).toEqual(
      message.toolCalls!.map(({ id }, i) => ["tool", ["12", "30"][i], id]),
    );
    expect(reports[0]).toEqual({ name: "calculate", given: '{"expression": "3 * 4"}', result: "12", failed: false });
    expect(isHopeless).toBe(false);
    expect(runner.metrics()).toEqual({ calls: 2, tool_errors: 0, repeated_calls: 0, tool_error_rate: 0 });
  });

  it.each<readonly [string, NonNullable<Message["toolCalls"]>[number], string]>([
    ["an unknown tool", call("divide", {}), "no tool divide, only calculate"],
    ["a missing argument", call("calculate", {}), "calculate needs expression"],
    ["an argument of another kind", call("calculate", { expression: 12 }), "expression must be a string"],
    ["an argument too many", call("calculate", { expression: "1", base: 2 }), "calculate takes no base"],
    ["a name that every object has", call("calculate", { expression: "1", toString: 2 }), "calculate takes no toString"],
    ["text that is no expression", call("calculate", { expression: "two" }), "not an expression"],
  ])("says what is wrong with %s", (_, wrong, sentence) => {
    const runner = createToolRunner([calculate], 5);
    expect(contents(runner.answer(calling(wrong)).messages)).toEqual([sentence]);
    expect(runner.metrics()).toMatchObject({ calls: 1, tool_errors: 1, tool_error_rate: 1 });
  });

  it("passes on what is wrong with calls that could not be read", () => {
    const problem = 'tool call 1 must be JSON, got "{"';
    const message: Message = { role: "assistant", content: "{", toolCallProblems: [problem] };
    expect(callsTools(message)).toBe(true);
    const runner = createToolRunner([calculate], 5);
    expect(contents(runner.answer(message).messages)).toEqual([problem]);
    expect(runner.metrics()).toMatchObject({ calls: 1, tool_errors: 1 });
  });

  it("gives an earlier result again and counts the repetition, however the arguments are spelled", () => {
    const runner = createToolRunner([calculate], 5);
    runner.answer(calling(times(3, 4)));
    expect(contents(runner.answer(calling(times(3, 4), times(4, 3))).messages)).toEqual(["as before: 12", "12"]);
    expect(runner.metrics()).toMatchObject({ calls: 3, tool_errors: 0, repeated_calls: 1 });
  });

  it("runs no more calls than the limit, says so once, and then gives up", () => {
    const runner = createToolRunner([calculate], 2);
    const first = runner.answer(calling(times(1, 1), times(1, 2), times(1, 3)));
    expect(contents(first.messages)).toEqual(["1", "2", "not run, the limit is 2 calls"]);
    expect(first.isHopeless).toBe(false);
    expect(runner.answer(calling(times(1, 4))).isHopeless).toBe(true);
    expect(runner.metrics()).toMatchObject({ calls: 4, tool_errors: 2 });
  });

  it("says nothing to a message without calls", () => {
    expect(callsTools({ role: "assistant", content: "12" })).toBe(false);
  });
});
