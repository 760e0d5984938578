// Distributes a batch of engine events: metrics and groups into their data outside React, the rest
// into the run's facts. One batch is one store update, so React draws once.
import type { EngineEvent } from "../../protocol/messages.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { groupsByStep } from "./groupsByStep.ts";
import { metricSeries } from "./metricSeries.ts";
import { isStale, reduceRun, useRun } from "./runStore.ts";
import { NOTHING_SELECTED, useSelection } from "./selectionStore.ts";

function clearRunData(): void {
  metricSeries.clear();
  groupsByStep.clear();
  useSelection.setState(NOTHING_SELECTED);
}

/** Applies events in order. */
export function applyEvents(events: readonly EngineEvent[]): void {
  let facts = useRun.getState();
  let records: StepRecord[] = [];
  const flush = () => {
    metricSeries.append(records);
    records = [];
  };
  for (const event of events) {
    if (event.type === "started" || (event.type === "state" && event.state === "idle")) {
      records = [];
      clearRunData();
    }
    if (!isStale(facts, event)) {
      if (event.type === "steps") records.push(...event.records);
      if (event.type === "history") records.push(...event.steps);
      if (event.type === "groups") groupsByStep.add(event);
      if (event.type === "answer" && event.outcome === "done" && event.command === "inspect") groupsByStep.add(event.result);
    }
    facts = reduceRun(facts, event);
  }
  flush();
  useRun.setState(facts, true);
}
