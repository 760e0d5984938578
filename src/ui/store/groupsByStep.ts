// Sampled groups that the page holds: the newest step's, and those that were asked for. The engine
// keeps many more steps; the page asks again for what it has dropped, so its memory stays bounded.
import type { RunConfig } from "../../protocol/config.ts";
import type { EventOf, Phase } from "../../protocol/messages.ts";
import type { GroupRecord, GroupSummary } from "../../protocol/records.ts";
import { VersionCounter, type Versioned } from "./versioned.ts";

/** What is known of one step. Groups may be fewer than summaries until they are asked for. */
export interface StepGroups {
  readonly step: number;
  /** The last phase the step had been through when it was recorded. */
  readonly phase: Phase;
  /** Settings the step was taken under. */
  readonly config: RunConfig;
  readonly summaries: readonly GroupSummary[];
  readonly groups: readonly GroupRecord[];
}

/** Steps whose full groups are kept here. */
const KEPT_STEPS = 32;

export class GroupsByStep implements Versioned {
  readonly #steps = new Map<number, StepGroups>();
  readonly #counter = new VersionCounter();
  readonly subscribe = this.#counter.subscribe;
  #latest: number | null = null;
  #oldest = 0;

  get version(): number {
    return this.#counter.version;
  }

  /** Newest step with groups, or null before the first. */
  get latestStep(): number | null {
    return this.#latest;
  }

  /** Oldest step the engine can still be asked for. */
  get oldestStep(): number {
    return this.#oldest;
  }

  add(event: Pick<EventOf<"groups">, "step" | "phase" | "config" | "summaries" | "groups" | "requested" | "oldestStep">): void {
    const known = this.#steps.get(event.step);
    const merged = new Map<number, GroupRecord>();
    for (const group of event.requested && known ? known.groups : []) merged.set(group.promptIndex, group);
    for (const group of event.groups) merged.set(group.promptIndex, group);
    this.#steps.delete(event.step);
    this.#steps.set(event.step, {
      step: event.step,
      phase: event.phase,
      config: event.config,
      summaries: event.summaries,
      groups: [...merged.values()].sort((a, b) => a.promptIndex - b.promptIndex),
    });
    this.#latest = Math.max(this.#latest ?? 0, event.step);
    this.#oldest = event.oldestStep;
    for (const step of this.#steps.keys()) {
      if (this.#steps.size <= KEPT_STEPS) break;
      if (step !== this.#latest) this.#steps.delete(step);
    }
    this.#counter.bump();
  }

  clear(): void {
    this.#steps.clear();
    this.#latest = null;
    this.#oldest = 0;
    this.#counter.bump();
  }

  /** What is held of a step; null means: ask the engine. */
  at(step: number): StepGroups | null {
    return this.#steps.get(step) ?? null;
  }

  group(step: number, promptIndex: number): GroupRecord | null {
    return this.#steps.get(step)?.groups.find((group) => group.promptIndex === promptIndex) ?? null;
  }
}

/** Groups of the run on screen. */
export const groupsByStep = new GroupsByStep();
