// Events on their way from an engine to the stores. A run tells faster than a screen can show, and a hidden
// page's timers may rest for a minute, so what waits must stay small: of what only the newest counts the
// newest is kept, and finished steps are gathered in one event.
import type { EngineEvent, EventOf, EventType } from "../../protocol/messages.ts";
import type { StepRecord } from "../../protocol/records.ts";

/** Of these an older one says nothing that the newest does not. */
const NEWEST: ReadonlySet<EventType> = new Set(["phase", "groups", "preparing", "asking", "saved", "saves", "storage"]);
/** Events before one of these mean something else than those after it, so nothing is gathered across. */
const BORDERS: ReadonlySet<EventType> = new Set(["started", "history", "state"]);

/** Events in the order they came; owned state. */
export class EventQueue {
  /** Null where a newer event has taken an older one's part. */
  #events: (EngineEvent | null)[] = [];
  /** Since the last border: where an event stands that a newer one of its kind and run makes void, */
  readonly #places = new Map<string, number>();
  /** and the finished steps that newer ones join. */
  #gathered: { readonly runId: string | null; readonly records: StepRecord[] } | null = null;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(event: EngineEvent): void {
    if (event.type === "steps") {
      this.#gather(event);
      return;
    }
    if (BORDERS.has(event.type)) this.#forgetPlaces();
    if (NEWEST.has(event.type)) {
      const key = `${event.type} ${event.runId}`;
      const older = this.#places.get(key);
      if (older !== undefined) this.#events[older] = null;
      this.#places.set(key, this.#events.length);
    }
    this.#events.push(event);
  }

  /** Everything that waits, in order; the queue is empty then. */
  take(): readonly EngineEvent[] {
    const events = this.#events.filter((event) => event !== null);
    this.#events = [];
    this.#forgetPlaces();
    return events;
  }

  #gather(event: EventOf<"steps">): void {
    if (this.#gathered?.runId === event.runId) {
      for (const record of event.records) this.#gathered.records.push(record);
      return;
    }
    const records = [...event.records];
    this.#gathered = { runId: event.runId, records };
    this.#events.push({ ...event, records });
  }

  #forgetPlaces(): void {
    this.#places.clear();
    this.#gathered = null;
  }
}
