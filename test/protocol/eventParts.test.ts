// Long events cross in messages that are each read within a few milliseconds, and are the same on the other side.
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../../src/protocol/messages.ts";
import { joinMessages, messagesOf } from "../../src/protocol/run/eventParts.ts";
import { driveSession } from "../support/driveSession.ts";

/** What comes out at the other end, as it would from another thread. */
const crossed = (events: readonly EngineEvent[]) => {
  const messages = messagesOf(events).map((message) => structuredClone(message));
  const join = joinMessages();
  return { messages, events: messages.flatMap(join) };
};

/** The events of a short run, with the answer to a question about a step. */
async function told(): Promise<readonly EngineEvent[]> {
  const session = await driveSession();
  await session.send({
    type: "start",
    runId: "run",
    config: { task: "digit-sum", model: "tabular", promptsPerStep: 2, groupSize: 8, steps: 2 },
  });
  if (session.all("state").at(-1)?.state !== "finished") await session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "inspect", step: 2 });
  return session.events;
}

/** The same event with its groups, steps or runs many times over. */
function longer(event: EngineEvent): EngineEvent {
  const many = <T>(items: readonly T[]) => Array.from({ length: 1_000 }, (_, i) => items[i % items.length]!);
  if (event.type === "groups") return { ...event, groups: many(event.groups) };
  if (event.type === "answer" && event.outcome === "done" && event.command === "inspect")
    return { ...event, result: { ...event.result, groups: many(event.result.groups) } };
  if (event.type === "steps")
    return { type: "history", runId: event.runId, steps: many(event.records), evaluations: [], baselines: [], kept: [] };
  return event;
}

/** Numbers and texts in plain data. */
const amount = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.values(value).reduce<number>((sum, each) => sum + amount(each), 0) : 1;

describe("events that cross to the page", () => {
  it("travel together where they are short", async () => {
    const events = await told();
    expect(messagesOf(events)).toEqual([events]);
  });

  it("are cut into messages of a few milliseconds where they are long, and put together again in their order", async () => {
    const events = (await told()).map(longer);
    const { messages, events: arrived } = crossed(events);
    expect(arrived).toEqual(events);
    expect(amount(events)).toBeGreaterThan(500_000);
    const largest = messages.reduce((most, message) => Math.max(most, amount(message)), 0);
    expect(largest).toBeLessThan(150_000);
  });
});
