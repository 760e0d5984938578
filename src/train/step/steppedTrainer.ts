// What both kinds of training share: the count of steps, the settings as they change along a run, and
// what a save holds beside the model.
import type { AnyModel } from "../../model/model.ts";
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { Recoverable } from "../../protocol/problems.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { Settings } from "./settings.ts";
import type { IsOpened, OnProgress, PhaseEnd, Trainer, TrainerParts, TrainerState } from "./trainer.ts";

/** Those of one step, made for it alone; a copy of so many costs the smallest steps a twentieth of their time. */
export type Metrics = Record<string, number>;

/** Adds what the process takes as a step ends. */
function usageMetrics({ usage }: TrainerParts, into: Metrics): void {
  if (!usage) return;
  const { memoryBytes, cpuSeconds } = usage();
  into["resources/memory_bytes"] = memoryBytes;
  into["resources/cpu_seconds"] = cpuSeconds;
}

/** A trainer whose steps' phases are still to be said; owned state. */
export abstract class SteppedTrainer implements Trainer {
  protected readonly parts: TrainerParts;
  protected readonly settings: Settings;
  protected tokensSeen = 0;
  #step = 0;
  #inFlight = false;
  /** How long this step has waited between two of its phases (ms). */
  #waitedMs = 0;
  /** Models as they were before this step, of those that it may leave half changed. */
  readonly #before = new Map<AnyModel, () => Promise<void>>();
  /** Settings that were changed while this step went on. */
  #setMeanwhile: LiveSettings[] = [];

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
    if (this.#inFlight) this.#setMeanwhile.push(settings);
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
    this.#setMeanwhile = [];
    const { config, parts } = this;
    const random = parts.random.save();
    const loader = parts.loader.state();
    const phases = this.phases(onProgress, isOpened);
    try {
      for (;;) {
        const { done, value } = await phases.next();
        if (done) {
          this.#step += 1;
          usageMetrics(parts, value);
          return { step: this.#step, metrics: value };
        }
        const phaseEndedAt = parts.now();
        yield value;
        this.#waitedMs += parts.now() - phaseEndedAt;
      }
    } catch (error) {
      parts.random.restore(random);
      parts.loader.restore(loader);
      // What was set meanwhile then holds from the step that was not taken.
      this.settings.restore(config);
      for (const settings of this.#setMeanwhile) this.settings.set(settings, this.#step);
      await this.#putBack(error);
      throw error;
    } finally {
      this.#inFlight = false;
      this.#before.clear();
    }
  }

  /** Copies a model before the first change that a step could break off after: what fails puts it back. */
  protected async keep(model: AnyModel): Promise<void> {
    if (!this.#before.has(model)) this.#before.set(model, await model.hold());
  }

  async #putBack(cause: unknown): Promise<void> {
    try {
      for (const putBack of this.#before.values()) await putBack();
    } catch (error) {
      // Beside a fault of the machine, such as a lost device, this is the same one again.
      if (cause instanceof Recoverable) throw error;
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
