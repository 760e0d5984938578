// Saves a run between two steps, so that a closed tab or a crash loses at most the seconds since.
// The state is copied before training goes on; the disk is not waited for.
import type { EventBody } from "../../protocol/messages.ts";
import type { Host } from "../host.ts";
import type { ActiveRun } from "./activeRun.ts";
import { packRun } from "./savedRun.ts";

/** Shortest time between two saves, and the largest share of the time that saving may take. */
const SAVE_EVERY_MS = 1000;
const SAVE_SHARE = 0.05;

/** When to save and the save in progress; owned state. */
export class Autosave {
  readonly #host: Host;
  readonly #send: (event: EventBody, runId: string) => void;
  #nextAt = 0;
  #saving: Promise<void> | null = null;

  /** `send` tells an event of the saved run, which may no longer be the current one by then. */
  constructor(host: Host, send: (event: EventBody, runId: string) => void) {
    this.#host = host;
    this.#send = send;
  }

  /** Whether the run should be saved after the step it has just finished. */
  isDue(run: ActiveRun): boolean {
    const { autosaveEvery } = run.trainer.config;
    if (!this.#host.store) return false;
    return autosaveEvery > 0 && run.trainer.step % autosaveEvery === 0 && this.#saving === null && this.#host.now() >= this.#nextAt;
  }

  /** Copies the run's state and hands it to the store; `wait` also waits until it is stored. A failure is told, not thrown; a cancelled run keeps its last save. */
  async save(run: ActiveRun, wait: boolean): Promise<void> {
    const { store, now, wallTime } = this.#host;
    const { config, step } = run.trainer;
    if (!store || config.autosaveEvery === 0 || run.inFlight || run.cancelled) return;
    await this.#saving;
    const begun = now();
    const { steps, evaluations, baselines } = run;
    const models = { model: await run.model.save(), critic: (await run.critic?.save()) ?? null };
    const bytes = packRun({ config, trainer: run.trainer.save(), ...models, steps, evaluations, baselines });
    this.#nextAt = now() + Math.max(SAVE_EVERY_MS, (now() - begun) / SAVE_SHARE);
    this.#saving = store
      .save({ runId: run.runId, step, config, savedAt: wallTime(), bytes })
      .then(() => this.#send({ type: "saved", step, bytes: bytes.length }, run.runId))
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#send({ type: "notice", message: `This run could not be saved: ${message}. It goes on.` }, run.runId);
      })
      .finally(() => {
        this.#saving = null;
      });
    if (wait) await this.#saving;
  }
}
