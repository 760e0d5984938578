// A saved run as it stood at the end of an earlier step, to go on from there on another way. Everything after that step is
// left out; the nearest checkpoint before it, or the run's start, is where it is taken up, and the steps in between are repeated.
import { beginsWithRun } from "../../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import { nearestKept } from "../../save/kept/keptCheckpoints.ts";
import type { SavedState } from "../../save/savedState.ts";

/** What a fork changes from its step on. */
type ForkSettings = Readonly<Record<string, unknown>>;

function checkStep({ steps }: SavedState, step: number): void {
  const last = steps.at(-1)?.step ?? 0;
  if (step > last) throw new Error(`step must be <= ${last}, the last step of the run, got ${step}`);
  if (step === 0 || steps.some((record) => record.step === step)) return;
  const near = steps.reduce((best, record) => (Math.abs(record.step - step) < Math.abs(best - step) ? record.step : best), 0);
  throw new Error(`step must be one that the long run still has a record of, got ${step}: the nearest is ${near}`);
}

/**
 * The run at the end of `step`, with one more change after it where there are settings. Rejects where it cannot be had from there.
 * Whether the settings may change at all is checked when the run is planned.
 */
export async function forkedState(saved: SavedState, step: number, settings: ForkSettings): Promise<SavedState> {
  checkStep(saved, step);
  const { config } = saved;
  const last =
    saved.checkpoint && saved.checkpoint.trainer.step <= step ? { checkpoint: saved.checkpoint, settings: saved.settings } : null;
  const { checkpoint, settings: inForce } = last ??
    (await nearestKept(saved.checkpoints ?? [], step)) ?? { checkpoint: null, settings: {} };
  if (!checkpoint && beginsWithRun(config))
    throw new Error(
      `step must be >= ${saved.checkpoint?.trainer.step ?? 0}, got ${step}: the run began with another's weights, and no earlier ones are kept`,
    );
  const upTo = (record: { readonly step: number }) => record.step <= step;
  // A change after step 0 says what held from the start.
  const earlier = config.changes.filter(({ afterStep }) => afterStep < Math.max(1, step));
  const change = { afterStep: step, settings: settings as RunConfig["changes"][number]["settings"] };
  return {
    config: { ...config, changes: Object.keys(settings).length > 0 ? [...earlier, change] : earlier },
    settings: inForce,
    checkpoint,
    steps: saved.steps.filter(upTo),
    evaluations: saved.evaluations.filter(upTo),
    baselines: saved.baselines,
    probes: saved.probes.filter(upTo),
    kept: saved.kept.filter(upTo),
  };
}
