// A run as its events tell it, for tests of the stores.
import type { EngineEvent, EventBody } from "../../../../src/protocol/messages.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { resolveConfig } from "../../../support/resolveConfig.ts";

/** Stamps an event with a run. */
export function event(body: EventBody, runId: string | null = "run-a"): EngineEvent {
  return { ...body, runId } as EngineEvent;
}

export const tableConfig = resolveConfig({ task: "digit-sum" }, catalog.tasks, catalog.algorithms);

/** The event that begins a run of the table preset. */
export function started(runId = "run-a", step = 0): EngineEvent {
  const backend = { id: "tabular", title: "Logits table", reason: "no tensors", threads: 1, tried: [] };
  const model = { kind: "tabular", parameters: 40, trained: 40, vocabulary: 10, description: "table" } as const;
  return event({ type: "started", config: tableConfig, step, backend, model, continued: step > 0 }, runId);
}

/** Steps first..last with one metric. */
export function steps(first: number, last: number, runId = "run-a"): EngineEvent {
  const records = Array.from({ length: last - first + 1 }, (_, i) => ({ step: first + i, metrics: { reward: (first + i) / 10 } }));
  return event({ type: "steps", records }, runId);
}
