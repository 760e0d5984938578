import { describe, expect, it } from "vitest";
import { NO_RUN, type RunFacts, reduceRun } from "../../../../src/ui/engine/store/runFacts.ts";
import { event, started, steps } from "./events.ts";

function factsAfter(...events: Parameters<typeof reduceRun>[1][]): RunFacts {
  return events.reduce(reduceRun, NO_RUN);
}

describe("the facts of a run", () => {
  it("follow a run from its start to its last step", () => {
    const facts = factsAfter(
      event({ type: "state", state: "preparing" }),
      started(),
      event({ type: "state", state: "running" }),
      steps(1, 7),
    );
    expect([facts.runId, facts.state, facts.step]).toEqual(["run-a", "running", 7]);
    expect(facts.config?.task).toBe("digit-sum");
  });

  it("are untouched by late events of an earlier run", () => {
    const facts = factsAfter(started("run-a"), started("run-b"));
    expect(reduceRun(facts, steps(1, 9, "run-a"))).toBe(facts);
  });

  it("forget the run when it is reset", () => {
    const reset = reduceRun(factsAfter(started(), steps(1, 7)), event({ type: "state", state: "idle" }, null));
    expect(reset).toEqual(NO_RUN);
  });

  it("keep one evaluation per step and one baseline per kind", () => {
    const evaluation = {
      step: 5,
      problems: 4,
      samplesPerProblem: 1,
      greedyAccuracy: 0.5,
      greedyInterval: [0.2, 0.8] as const,
      sampledAccuracy: 0.5,
      sampledInterval: [0.2, 0.8] as const,
      passAtK: { 1: 0.5 },
      formRate: 1,
      meanReward: 0.5,
    };
    const facts = factsAfter(
      started(),
      event({ type: "evaluation", record: evaluation }),
      event({ type: "evaluation", record: { ...evaluation, greedyAccuracy: 0.75 } }),
    );
    expect(facts.evaluations.map(({ greedyAccuracy }) => greedyAccuracy)).toEqual([0.75]);
  });

  it("take over live settings", () => {
    const facts = factsAfter(started(), event({ type: "settings", settings: { learningRate: 0.125 } }));
    expect(facts.config?.learningRate).toBe(0.125);
  });

  it("show an error until the run goes on", () => {
    const failed = factsAfter(started(), event({ type: "error", message: "the loss is not a number", recoverable: true }));
    expect(failed.error).toBe("the loss is not a number");
    expect(reduceRun(failed, event({ type: "state", state: "paused" })).error).not.toBeNull();
    expect(reduceRun(failed, event({ type: "state", state: "running" })).error).toBeNull();
  });

  it("say what passes until the run stands still, and other sentences for longer", () => {
    const away = { type: "notice", message: "The server is away.", passing: "begun" } as const;
    const running = factsAfter(started(), event({ type: "state", state: "running" }));
    const paused = event({ type: "state", state: "paused" });
    const waiting = reduceRun(running, event(away));
    expect(waiting.notice).toEqual({ message: away.message, passing: "begun" });
    expect(reduceRun(waiting, paused).notice).toBeNull();
    const told = reduceRun(waiting, event({ type: "notice", message: "A sentence." }));
    expect(reduceRun(told, paused).notice).toEqual({ message: "A sentence." });
  });

  it("hold why a command was refused, but not that another one overtook it", () => {
    const failed = event({ type: "answer", outcome: "failed", id: 1, message: "groupSize must be >= 2, got 1" }, null);
    expect(factsAfter(failed).error).toBe("groupSize must be >= 2, got 1");
    expect(factsAfter(event({ type: "answer", outcome: "failed", id: 1, message: "given up", overtaken: true })).error).toBeNull();
  });

  it("know where a continued run was saved", () => {
    expect(factsAfter(started("run-a", 40)).savedStep).toBe(40);
    expect(factsAfter(started()).savedStep).toBeNull();
  });
});
