// Long events cross from the engine's thread to the page's in parts. What arrives in one message is read in one task, and the rollouts of a
// step of thousands would hold the page's own thread for a third of a second. Each part is a message and a task of its own; the event that
// follows them takes them in again, so that whoever listens knows of none.
import type { EngineEvent } from "../messages.ts";
import type { GroupRecord, StepRecord } from "../records.ts";
import type { SaveSummary } from "./runSummary.ts";

/** The next items of the list of the event that follows. */
export interface EventPart {
  readonly type: "part";
  readonly groups?: readonly GroupRecord[];
  readonly steps?: readonly StepRecord[];
  readonly runs?: readonly SaveSummary[];
}

/** What a part may hold, in numbers and texts: a few milliseconds of reading. */
const PART = 50_000;

/** Numbers and texts that a group is read from: a token has an id, a piece, a mask and its channels. */
const weightOfGroup = ({ promptTokens, trajectories }: GroupRecord): number =>
  2 * promptTokens.length + trajectories.reduce((sum, { tokens }) => sum + 100 + 6 * tokens.length, 0);
const weightOfStep = ({ metrics }: StepRecord): number => Object.keys(metrics).length;
/** A run with its configuration and the ends of its curve. */
const RUN = 150;

/** The items in parts of at most `PART`, one item at least; none where one part holds them all. */
function cut<T>(items: readonly T[], weigh: (item: T) => number): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const weight = weigh(item);
    if (weight > room) {
      parts.push([]);
      room = PART;
    }
    room -= weight;
    parts.at(-1)?.push(item);
  }
  return parts.length > 1 ? parts : [];
}

function partsOf(event: EngineEvent): readonly EventPart[] {
  if (event.type === "history") return cut(event.steps, weightOfStep).map((steps) => ({ type: "part", steps }));
  if (event.type === "saves") return cut(event.runs, () => RUN).map((runs) => ({ type: "part", runs }));
  const step = groupsIn(event);
  return step ? cut(step.groups, weightOfGroup).map((groups) => ({ type: "part", groups })) : [];
}

/** The groups of a step that an event brings, unasked or as an answer. */
function groupsIn(event: EngineEvent) {
  if (event.type === "groups") return event;
  if (event.type !== "answer" || event.outcome !== "done") return null;
  return event.command === "inspect" || event.command === "measure" ? event.result : null;
}

/** The event with these items in the place of its own. */
function holding(event: EngineEvent, { groups = [], steps = [], runs = [] }: Omit<EventPart, "type">): EngineEvent {
  if (event.type === "history") return { ...event, steps };
  if (event.type === "saves") return { ...event, runs };
  if (event.type === "groups") return { ...event, groups };
  if (event.type === "answer" && event.outcome === "done" && (event.command === "inspect" || event.command === "measure"))
    return { ...event, result: { ...event.result, groups } };
  throw new Error(`internal: ${event.type} is told whole`);
}

/** The messages in which events cross: they travel together, but for the parts of a long one, which go ahead of it. */
export function messagesOf(events: readonly EngineEvent[]): readonly (readonly (EngineEvent | EventPart)[])[] {
  const messages: (readonly (EngineEvent | EventPart)[])[] = [];
  let together: EngineEvent[] = [];
  for (const event of events) {
    const parts = partsOf(event);
    if (parts.length > 0 && together.length > 0) {
      messages.push(together);
      together = [];
    }
    for (const part of parts) messages.push([part]);
    together.push(parts.length > 0 ? holding(event, {}) : event);
  }
  messages.push(together);
  return messages;
}

/** Gives of each message the events as they were sent: none of a part, which waits for its event. */
export function joinMessages(): (message: readonly (EngineEvent | EventPart)[]) => readonly EngineEvent[] {
  let waiting: EventPart[] = [];
  return (message) =>
    message.flatMap((each) => {
      if (each.type === "part") {
        waiting.push(each);
        return [];
      }
      if (waiting.length === 0) return [each];
      const parts = waiting;
      waiting = [];
      return [
        holding(each, {
          groups: parts.flatMap(({ groups = [] }) => groups),
          steps: parts.flatMap(({ steps = [] }) => steps),
          runs: parts.flatMap(({ runs = [] }) => runs),
        }),
      ];
    });
}
