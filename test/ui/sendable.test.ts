// What cannot be sent to the engine is refused by the name of its field.
import { describe, expect, it } from "vitest";
import { EngineClient } from "../../src/ui/engine/client.ts";
import { sendingProblem } from "../../src/ui/engine/sendable.ts";
import { createRunView } from "../../src/ui/engine/store/runView.ts";

const start = (config: object) => ({ type: "start", runId: "run-a", config }) as const;

describe("a command", () => {
  it("of plain data can be sent, circles too", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const config of [{}, { taskOptions: { target: 4 } }, circle, { size: 4n }, { when: new Date(0) }])
      expect(sendingProblem(start(config))).toBeNull();
  });

  it.each([
    [{ groupSize: () => 4 }, "groupSize must be plain data, got a function"],
    [{ seed: 1, taskOptions: { target: Symbol("x") } }, "taskOptions.target must be plain data, got Symbol(x)"],
    [
      { changes: [{ afterStep: 1 }, { settings: { seed: new WeakMap() } }] },
      "changes.1.settings.seed must be plain data, got [object WeakMap]",
    ],
  ])("with %o names the field", (config, sentence) => {
    expect(sendingProblem(start(config))).toBe(sentence);
  });

  it("names the field that is no plain data inside a circle", () => {
    const circle: Record<string, unknown> = { a: 1, call: () => 1 };
    circle.self = circle;
    expect(sendingProblem(start({ taskOptions: circle }))).toBe("taskOptions.call must be plain data, got a function");
  });

  it("that cannot be sent is rejected in those words, and the engine goes on", async () => {
    const engine = new EngineClient(createRunView());
    const posted: unknown[] = [];
    // Posts as a worker does: a copy, or an error.
    engine.connect(() => ({ post: (command) => void posted.push(structuredClone(command)), close: () => {} }));
    const config = { groupSize: (() => 4) as unknown as number };
    await expect(engine.request({ type: "start", runId: "run-a", config })).rejects.toThrow("groupSize must be plain data, got a function");
    engine.send({ type: "reset" });
    expect(posted).toEqual([{ type: "reset", id: 1 }]);
    engine.close();
  });
});
