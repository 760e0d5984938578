// What both kinds of training share: the count of steps, the settings as they change along a run, and
// what a save holds beside the model.

import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { TrainerState } from "../save/savedState.ts";
import { Settings } from "./settings.ts";
import type { IsOpened, OnProgress, PhaseEnd, Trainer, TrainerParts } from "./trainer.ts";

export type Metrics = StepRecord["metrics"];

/** A trainer whose steps' phases are still to be said; owned state. */
export abstract class SteppedTrainer implements Trainer {
  protected readonly parts: TrainerParts;
  protected readonly settings: Settings;
  protected tokensSeen = 0;
  #step = 0;
  #inFlight = false;
  /** How long this step has waited between two of its phases (ms). */
  #waitedMs = 0;

  constructor(parts: TrainerParts) {
    this.parts = parts;
    this.settings = new Settings(parts.config);
  }

  get step(): number {
    return this.#step;
  }

  get config(): RunConfig {
    return this.settings.config;
  }

  get stepLimit(): number {
    return this.settings.stepLimit(this.#step);
  }

  get isInStep(): boolean {
    return this.#inFlight;
  }

  set(settings: LiveSettings): void {
    this.settings.set(settings, this.#inFlight ? this.#step + 1 : this.#step);
  }

  applyChanges(): void {
    this.settings.applyChanges(this.#step);
  }

  /** One step; returns its metrics. */
  protected abstract phases(onProgress: OnProgress, isOpened: IsOpened): AsyncGenerator<PhaseEnd, Metrics>;

  async *takeStep(onProgress: OnProgress, isOpened: IsOpened = () => false): AsyncGenerator<PhaseEnd, StepRecord> {
    this.#inFlight = true;
    this.#waitedMs = 0;
    const phases = this.phases(onProgress, isOpened);
    try {
      for (;;) {
        const { done, value } = await phases.next();
        if (done) {
          this.#step += 1;
          return { step: this.#step, metrics: value };
        }
        const phaseEndedAt = this.parts.now();
        yield value;
        this.#waitedMs += this.parts.now() - phaseEndedAt;
      }
    } finally {
      this.#inFlight = false;
    }
  }

  /** The host's clock (ms) without the time that this step waited between phases: for a pause, for the pace, for commands. */
  protected workedMs(): number {
    return this.parts.now() - this.#waitedMs;
  }

  /** Adaptive coefficients, by name. */
  protected saveControllers(): Readonly<Record<string, number>> {
    return {};
  }

  save(): TrainerState {
    const { random, loader } = this.parts;
    const controllers = { ...this.saveControllers(), tokensSeen: this.tokensSeen };
    return { step: this.#step, random: random.save(), loader: loader.state(), controllers };
  }

  restore(state: TrainerState): void {
    this.#step = state.step;
    this.parts.random.restore(state.random);
    this.parts.loader.restore(state.loader);
    this.tokensSeen = state.controllers.tokensSeen ?? 0;
  }
}
