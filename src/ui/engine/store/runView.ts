// One run as a page sees it: its facts, its metrics and groups outside React, and what is selected of it.
// Engine events are all it is fed with. There can be several: the page's run, the runs of an experiment, recorded runs.
import { createStore, type StoreApi } from "zustand/vanilla";
import type { EngineEvent } from "../../../protocol/messages.ts";
import type { StepRecord } from "../../../protocol/records.ts";
import { GroupsByStep } from "./groupsByStep.ts";
import { MetricSeries } from "./metricSeries.ts";
import { isStale, NO_RUN, type RunFacts, reduceRun } from "./runFacts.ts";
import { NOTHING_SELECTED, type Selection } from "./selection.ts";

export interface RunView {
  readonly facts: StoreApi<RunFacts>;
  readonly metrics: MetricSeries;
  readonly groups: GroupsByStep;
  readonly selection: StoreApi<Selection>;
  /** Applies events in order. One batch is one update of the facts, so that React draws once. */
  apply(events: readonly EngineEvent[]): void;
}

/** Whether rollouts are told again, more of them. */
const isMore = ({ recording }: RunFacts, event: EngineEvent): boolean =>
  event.type === "started" && event.recording?.traced !== undefined && recording?.traced?.isWhole === false;

export function createRunView(): RunView {
  const facts = createStore<RunFacts>()(() => NO_RUN);
  const metrics = new MetricSeries();
  const groups = new GroupsByStep();
  const selection = createStore<Selection>()(() => NOTHING_SELECTED);
  selection.subscribe(({ step }) => groups.hold(step));
  const apply = (events: readonly EngineEvent[]) => {
    let now = facts.getState();
    let records: StepRecord[] = [];
    for (const event of events) {
      if (event.type === "started" || (event.type === "state" && event.state === "idle")) {
        records = [];
        metrics.clear();
        groups.clear(event.runId);
        // Who looks at the first step of files goes on to do so when the rest has been read.
        if (!isMore(now, event)) selection.setState(NOTHING_SELECTED);
      }
      if (!isStale(now, event)) {
        // One by one: a long history does not fit into the arguments of a call.
        if (event.type === "steps") for (const record of event.records) records.push(record);
        if (event.type === "history") {
          metrics.clear();
          records = [...event.steps];
        }
        if (event.type === "history" || event.type === "saved") groups.keeps(event.kept);
        if (event.type === "groups") groups.add(event);
        if (event.type === "answer" && event.outcome === "done" && (event.command === "inspect" || event.command === "measure"))
          groups.add(event.result);
      }
      now = reduceRun(now, event);
    }
    metrics.append(records);
    facts.setState(now, true);
  };
  return { facts, metrics, groups, selection, apply };
}
