// Trains one run to its end in this process and returns what the page would have drawn: the same
// session, the same events, no page.
import type { RunConfigInput } from "../protocol/config.ts";
import type { BackendReport, EngineEvent } from "../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../protocol/records.ts";
import type { Host } from "../train/host.ts";
import { createSession } from "../train/run/session.ts";

export interface TrainedRun {
  readonly backend: BackendReport;
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  /** From the start command to the last step, evaluations included. */
  readonly seconds: number;
}

/** Runs to the step limit. Rejects with the engine's sentence when it reports an error. */
export async function trainRun(config: RunConfigInput, host: Host, onStep: (record: StepRecord) => void = () => {}): Promise<TrainedRun> {
  const steps: StepRecord[] = [];
  const evaluations: EvaluationRecord[] = [];
  const baselines: BaselineRecord[] = [];
  let backend: BackendReport | null = null;
  let begun = 0;
  await new Promise<void>((resolve, reject) => {
    const receive = (event: EngineEvent) => {
      if (event.type === "error" || (event.type === "answer" && event.outcome === "failed")) reject(new Error(event.message));
      else if (event.type === "started") backend = event.backend;
      else if (event.type === "steps") for (const record of event.records) onStep(steps[steps.push(record) - 1]!);
      else if (event.type === "evaluation") evaluations.push(event.record);
      else if (event.type === "baseline") baselines.push(event.record);
      else if (event.type === "state" && event.state === "finished") resolve();
    };
    createSession(receive, host).then((session) => {
      begun = host.now();
      return session.handle({ id: 0, type: "start", runId: "run", config });
    }, reject);
  });
  if (!backend) throw new Error("internal: a run finished that never started");
  return { backend, steps, evaluations, baselines, seconds: (host.now() - begun) / 1000 };
}
