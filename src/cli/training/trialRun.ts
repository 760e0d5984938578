// How long a run would take: its start, and a few steps of it that nobody keeps. The first step compiles, so
// the median of the others is the measure.

import { startEngine } from "../../library/startEngine.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { runSeconds } from "../../protocol/custom/tried.ts";
import type { BackendReport, ModelReport } from "../../protocol/messages.ts";
import { medianOf } from "../../rl/advantage/statistics.ts";
import type { Host } from "../../train/host.ts";

export interface Trial {
  readonly backend: BackendReport;
  readonly model: ModelReport;
  readonly preparationSeconds: number;
  readonly secondsPerEvaluation: number;
  readonly secondsPerStep: number;
  readonly tokensPerStep: number;
  /** Of the whole run; null where it has no last step. */
  readonly seconds: number | null;
}

/** Takes a few steps of a run without a store. @param config resolved. @param steps 2 or more. */
export async function tryRun(config: RunConfig, host: Host, steps = 2): Promise<Trial> {
  const begun = host.now();
  let baselineAt = 0;
  let evaluatedAt = 0;
  let about: Pick<Trial, "backend" | "model"> | null = null;
  const times: number[] = [];
  let tokens = 0;
  const engine = await startEngine({ ...host, store: null }, (event) => {
    if (event.type === "started") about = event;
    else if (event.type === "baseline" && event.record.kind === "random") baselineAt = host.now();
    else if (event.type === "evaluation") evaluatedAt = host.now();
    else if (event.type === "steps")
      for (const { metrics } of event.records) {
        times.push(metrics.step_time ?? Number.NaN);
        tokens = metrics.num_tokens ?? 0;
      }
  });
  try {
    await engine.ask({ type: "start", runId: "trial", config: { ...config, evalEvery: 0 }, paused: true });
    for (let step = 0; step < steps; step++) await engine.ask({ type: "advance", unit: "step" });
  } finally {
    await engine.close();
  }
  if (!about) throw new Error("internal: a run took steps that never started");
  const { backend, model } = about as Pick<Trial, "backend" | "model">;
  const preparationSeconds = (baselineAt - begun) / 1000;
  const secondsPerEvaluation = (evaluatedAt - baselineAt) / 1000;
  const secondsPerStep = medianOf(times.slice(1));
  const parts = { preparation: preparationSeconds, evaluation: secondsPerEvaluation, step: secondsPerStep };
  const seconds = runSeconds(config, parts);
  return { backend, model, preparationSeconds, secondsPerEvaluation, secondsPerStep, tokensPerStep: tokens / steps, seconds };
}
