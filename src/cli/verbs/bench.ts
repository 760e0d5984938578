// How fast this machine trains: a few steps of typical configurations on each backend that works here.
import { counted } from "../../protocol/quantities.ts";
import { columns, count } from "../lab/texts.ts";
import { defineVerb } from "../lab/verb.ts";

/** Presets that are timed; tables need no backend. */
const CASES = ["digit-sum-table", "digit-sum-transformer", "boxed-arithmetic"] as const;
const STEPS = 6;

export const bench = defineVerb({
  name: "bench",
  help: "Time a few steps of typical configurations on each backend that works here.",
  operands: [],
  options: { steps: { kind: "integer", value: "N", min: 2, max: 1000, help: `Steps of each; the first is not counted (${STEPS}).` } },
  async run({ options, progress }) {
    const { catalog } = await import("../../train/catalog.ts");
    const { backendCandidates, gpuObstacle } = await import("../../train/backend/backendCandidates.ts");
    const { planRun } = await import("../../train/start/plan.ts");
    const { hostOf } = await import("../training/runHost.ts");
    const { tryRun } = await import("../training/trialRun.ts");
    const host = await hostOf({ backend: "auto", model: "transformer" }, {});
    const obstacle = await gpuObstacle(host);
    const backends = backendCandidates.filter(({ automatic, usesGpu }) => automatic && !(usesGpu && obstacle !== null));
    const results = [];
    for (const { id: preset, config } of catalog.presets.filter(({ id }) => (CASES as readonly string[]).includes(id))) {
      const plan = planRun({ config });
      for (const { id: backend } of plan.config.model === "tabular" ? backends.slice(0, 1) : backends) {
        progress.tell({ type: "part", preset, backend });
        progress.doing(`${preset} on ${backend}`);
        const { secondsPerStep, tokensPerStep, backend: report } = await tryRun({ ...plan.config, backend }, host, options.steps ?? STEPS);
        results.push({
          preset,
          backend: report.id,
          threads: report.threads,
          secondsPerStep,
          tokensPerStep,
          tokensPerSecond: tokensPerStep / secondsPerStep,
        });
      }
    }
    const rows = results.map(({ preset, backend, threads, secondsPerStep, tokensPerSecond }) => [
      `  ${preset}`,
      `${backend}, ${counted(threads, "thread")}`,
      `${(1000 * secondsPerStep).toFixed(secondsPerStep < 0.01 ? 2 : 0)} ms a step`,
      `${count(tokensPerSecond)} tokens/s`,
    ]);
    return { facts: { results, gpu: obstacle ?? "in use" }, text: `${columns(rows)}\n${obstacle ? `no GPU: ${obstacle}` : "GPU in use"}` };
  },
});
