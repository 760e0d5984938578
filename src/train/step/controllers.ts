// Coefficients that move by themselves during a run: the KL weight towards a target divergence and the
// entropy bonus towards a target entropy. Without targets they are the configured values.

import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { adaptEntropyCoef, adaptKlCoef, type EntropyControl } from "../../rl/controllers.ts";

const isMeasured = (nats: number | undefined): nats is number => nats !== undefined && !Number.isNaN(nats);

/** The coefficients in force; owned state. */
export class Controllers {
  #klCoef: number;
  #entropy: EntropyControl;

  constructor(config: RunConfig) {
    this.#klCoef = config.klCoef;
    this.#entropy = { coef: config.entropyCoef, isApplied: true };
  }

  /** The configuration with the coefficients of the next step; itself where they are the configured ones. */
  applyTo(config: RunConfig): RunConfig {
    const klCoef = this.#klCoef;
    const entropyCoef = this.#entropy.isApplied ? this.#entropy.coef : 0;
    return klCoef === config.klCoef && entropyCoef === config.entropyCoef ? config : { ...config, klCoef, entropyCoef };
  }

  /** A coefficient set by hand is where its controller goes on from. */
  set(settings: LiveSettings): void {
    if (settings.klCoef !== undefined) this.#klCoef = settings.klCoef;
    if (settings.entropyCoef !== undefined) this.#entropy = { coef: settings.entropyCoef, isApplied: true };
  }

  /**
   * Adapts to a finished step; what it did not measure leaves its coefficient as it is.
   * @param klNats divergence from the reference.
   * @param completions how many the step held.
   */
  observe(klNats: number | undefined, entropyNats: number | undefined, completions: number, config: RunConfig): void {
    if (isMeasured(klNats)) this.#klCoef = adaptKlCoef(this.#klCoef, klNats, completions, config);
    if (isMeasured(entropyNats)) this.#entropy = adaptEntropyCoef(this.#entropy.coef, entropyNats, config);
  }

  save(): Readonly<Record<string, number>> {
    return { klCoef: this.#klCoef, entropyCoef: this.#entropy.coef, entropyApplied: this.#entropy.isApplied ? 1 : 0 };
  }

  restore(state: Readonly<Record<string, number>>): void {
    this.#klCoef = state.klCoef ?? this.#klCoef;
    this.#entropy = { coef: state.entropyCoef ?? this.#entropy.coef, isApplied: (state.entropyApplied ?? 1) === 1 };
  }
}
