// Saves a run between two steps, so that a closed tab or a crash loses at most the seconds since.
// The state is copied before training goes on; the disk is not waited for.
import type { EventBody } from "../../protocol/messages.ts";
import type { Host } from "../host.ts";
import type { ActiveRun } from "./activeRun.ts";
import { packRun } from "./savedRun.ts";

/** Shortest time between two saves, and the largest share of the time that saving may take. */
const SAVE_EVERY_MS = 1000;
const SAVE_SHARE = 0.05;

/** When to save a run, and the save in progress; owned state. */
export class Autosave {
  readonly #run: ActiveRun;
  readonly #host: Host;
  readonly #tell: (event: EventBody) => void;
  #nextAt = 0;
  #saving: Promise<void> | null = null;

  /** `tell` is called when a save is stored, by when the run may be gone. */
  constructor(run: ActiveRun, host: Host, tell: (event: EventBody) => void) {
    this.#run = run;
    this.#host = host;
    this.#tell = tell;
  }

  /** Whether the run should be saved after the step it has just finished. */
  isDue(): boolean {
    const { step, config } = this.#run.trainer;
    if (!this.#host.store) return false;
    return config.autosaveEvery > 0 && step % config.autosaveEvery === 0 && this.#saving === null && this.#host.now() >= this.#nextAt;
  }

  /** Copies the state of a run between two steps and hands it to the store; `wait` also waits until it is stored. A failure is told, not thrown. */
  async save(wait: boolean): Promise<void> {
    const { store, now, wallTime } = this.#host;
    const { runId, trainer, model, critic, steps, evaluations, baselines } = this.#run;
    const { config, step } = trainer;
    if (!store || config.autosaveEvery === 0) return;
    await this.#saving;
    const begun = now();
    const models = { model: await model.save(), critic: (await critic?.save()) ?? null };
    const bytes = packRun({ config, trainer: trainer.save(), ...models, steps, evaluations, baselines });
    this.#nextAt = now() + Math.max(SAVE_EVERY_MS, (now() - begun) / SAVE_SHARE);
    this.#saving = store
      .save({ runId, step, config, savedAt: wallTime(), bytes })
      .then(() => this.#tell({ type: "saved", step, bytes: bytes.length }))
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#tell({ type: "notice", message: `This run could not be saved: ${message}. It goes on.` });
      })
      .finally(() => {
        this.#saving = null;
      });
    if (wait) await this.#saving;
  }
}
