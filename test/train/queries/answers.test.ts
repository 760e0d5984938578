// Every command gets exactly one answer, when what it asked for is so, whatever other commands come in between.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CommandBody } from "../../../src/protocol/commands.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { EngineEvent } from "../../../src/protocol/messages.ts";
import { createSession } from "../../../src/train/run/session.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 0, evalEvery: 0 };

/** "done", or why a command was not carried out. */
const outcome = (answer: Promise<unknown>) => answer.then(() => "done").catch((error: Error) => error.message);
const stateOf = (session: DrivenSession) => session.all("state").at(-1)?.state;
const stepsOf = (session: DrivenSession) => session.all("steps").flatMap(({ records }) => records.map(({ step }) => step));

/** An engine that waits wherever it lets commands in until it is let on. */
async function driveHeld() {
  let clock = 0;
  let letOn = () => {};
  let tellHeld = () => {};
  const session = await driveSession({
    now: () => (clock += 10),
    yield: () =>
      new Promise((resolve) => {
        letOn = resolve;
        tellHeld();
      }),
  });
  const held = () =>
    new Promise<void>((resolve) => {
      tellHeld = resolve;
    });
  return { session, held, letOn: () => letOn() };
}

describe("a pause that a resume overtakes", () => {
  it("fails, and the run is said to run, at whatever moment the resume comes", async () => {
    for (let turns = 0; turns < 30; turns++) {
      const { session, held, letOn } = await driveHeld();
      const boundary = held();
      await session.send({ type: "start", runId: "run", config: table });
      await boundary;
      const paused = outcome(session.send({ type: "pause" }));
      letOn();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const before = stateOf(session);
      const resumed = outcome(session.send({ type: "resume" }));
      expect([before, await paused]).toEqual(
        before === "paused" ? ["paused", "done"] : ["running", "the run was told to go on before it had paused"],
      );
      expect([await resumed, stateOf(session)]).toEqual(["done", "running"]);
      let isForgotten = false;
      void session.send({ type: "reset" }).then(() => {
        isForgotten = true;
      });
      while (!isForgotten) {
        letOn();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
  });

  it("does not end a stop either", async () => {
    const { session, held, letOn } = await driveHeld();
    const boundary = held();
    await session.send({ type: "start", runId: "run", config: table });
    await boundary;
    const answers = (["stop", "resume"] as const).map((type) => outcome(session.send({ type })));
    letOn();
    expect(await Promise.all(answers)).toEqual(["the run went on, failed or was forgotten before it had stopped", "done"]);
    expect(stateOf(session)).toBe("running");
  });
});

describe("a step that is asked for", () => {
  it("is over when it is answered, also when the run goes on meanwhile", async () => {
    const session = await driveSession();
    await session.send({ type: "start", runId: "run", config: table, paused: true });
    await session.send({ type: "advance", unit: "step" });
    expect([stateOf(session), stepsOf(session)]).toEqual(["paused", [1]]);
    const second = session.send({ type: "advance", unit: "step" });
    await session.send({ type: "resume" });
    await second;
    expect(stateOf(session)).toBe("running");
    await session.send({ type: "pause" });
    expect(stepsOf(session)).toContain(2);
  });

  it("is not, when the run is paused in the middle of it", async () => {
    const { session, held, letOn } = await driveHeld();
    await session.send({ type: "start", runId: "run", config: { ...table, evalEvery: 0 }, paused: true });
    const boundary = held();
    const step = outcome(session.send({ type: "advance", unit: "step" }));
    await boundary;
    const paused = outcome(session.send({ type: "pause" }));
    let isOver = false;
    const both = Promise.all([step, paused]).finally(() => {
      isOver = true;
    });
    // Within a phase commands are let in too, and it goes on.
    while (!isOver) {
      letOn();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    expect(await both).toEqual(["the run was stopped before that was over", "done"]);
    expect([stateOf(session), stepsOf(session)]).toEqual(["paused", []]);
  });
});

const body: fc.Arbitrary<CommandBody> = fc.oneof(
  fc.constantFrom<CommandBody>(
    ...(["pause", "resume", "stop", "reset"] as const).map((type) => ({ type })),
    ...(["step", "phase"] as const).map((unit) => ({ type: "advance" as const, unit })),
    { type: "set", settings: { learningRate: 0.25 } },
    { type: "pace", delayMs: 1 },
    { type: "pace", delayMs: 0 },
    { type: "inspect", step: 1 },
    { type: "export-model" },
    { type: "export-save" },
    { type: "continue", runId: "gone" },
  ),
  fc.record({
    type: fc.constant("start" as const),
    runId: fc.constantFrom("a", "b"),
    config: fc.constantFrom<RunConfigInput>(table, { ...table, steps: 2 }, { ...table, groupSize: 1 }),
    paused: fc.boolean(),
  }),
);

describe("any commands at any moment", () => {
  it("get one answer each, and leave an engine whose state is what it is said to be", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(body, fc.nat(12)), { minLength: 2, maxLength: 12 }), async (commands) => {
        const session = await driveSession();
        const answers: Promise<string>[] = [];
        for (const [command, turns] of commands) {
          answers.push(outcome(session.send(command)));
          if (turns === 12) await new Promise((resolve) => setTimeout(resolve, 2));
          else for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        }
        // `send` itself checks that there is one answer and no more.
        await Promise.all(answers);
        const heard = () => session.all("phase").length + session.all("steps").length;
        const [before, said] = [heard(), stateOf(session)];
        await new Promise((resolve) => setTimeout(resolve, 60));
        // A short run may have ended meanwhile.
        if (said === stateOf(session)) expect([said, heard() > before]).toEqual([said, said === "running"]);
        await session.send({ type: "reset" });
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe("a command that cannot be read", () => {
  it.each([
    [{ type: "pause" }, null, "id must be a number"],
    [{ id: 3 }, 3, "type"],
    [{ id: 3, type: "fly" }, 3, "type"],
    [{ id: 3, type: "start", runId: "run", config: 5 }, 3, "config must be an object, got 5"],
    [{ id: 3, type: "set", settings: { groupSize: 4 } }, 3, 'unknown field "settings.groupSize"'],
    ["pause", null, "must be an object"],
    [null, null, "must be an object"],
  ])("%j is answered as far as it has an id", async (command, id, message) => {
    const events: EngineEvent[] = [];
    const session = await createSession((event) => events.push(event), createNodeHost());
    await session.handle(command);
    expect(events.slice(1)).toEqual([
      expect.objectContaining({ type: "answer", outcome: "failed", id, message: expect.stringContaining(message) }),
    ]);
  });
});
