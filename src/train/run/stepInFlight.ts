// The step that a run is in: it is taken phase by phase, and what each phase brings is noted and told. A model on a server has room for
// more than one step's requests: there the held-out problems are asked while the next step is sampled, with the same weights, and its
// update waits for them. Evaluations draw from a generator of their own, so no record depends on it.
import { isHere } from "../../model/model.ts";
import { isSame } from "../../protocol/config/configFacts.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { MOST_STEPS, pushThinned } from "../../protocol/run/thinned.ts";
import type { Clock } from "../host.ts";
import { keepWeights } from "../queries/alternatives.ts";
import type { ActiveRun } from "../start/start.ts";
import { dueSettings } from "../step/settings.ts";
import type { PhaseEnd } from "../step/trainer.ts";
import type { Autosave } from "./autosave.ts";
import type { AdvanceUnit, Target } from "./course.ts";
import type { RunFeed } from "./runFeed.ts";
import type { RunLife } from "./runLife.ts";

/** Whether the held-out problems may be asked beside the next step: a change that comes before it may change what they are judged by. */
export function canMeasureBeside({ model, trainer }: ActiveRun): boolean {
  return !isHere(model) && Object.keys(dueSettings(trainer.config, trainer.step)).length === 0;
}

/** What a step works with. */
interface Around {
  readonly run: ActiveRun;
  readonly life: RunLife;
  readonly feed: RunFeed;
  readonly autosave: Autosave;
  readonly clock: Pick<Clock, "now">;
  /** How far the run is to go, which can change in the middle of a step. */
  readonly target: () => Target;
}

/** One step after another of a run; owned state. */
export class StepInFlight {
  readonly #around: Around;
  /** Between two of its phases; null between two steps. */
  #phases: AsyncGenerator<PhaseEnd, StepRecord> | null = null;
  #lacksRecord = false;
  /** What is measured beside it: resolves to what went wrong with that, in a list of its own since anything can be thrown. */
  #beside: Promise<readonly unknown[]> | null = null;

  constructor(around: Around) {
    this.#around = around;
  }

  /** Whether the run stands between two steps. */
  get isOver(): boolean {
    return this.#phases === null;
  }

  /** Whether it is through its update and lacks its record alone: a run that is paused stands behind it. */
  get lacksRecord(): boolean {
    return this.#lacksRecord;
  }

  /** Takes the next phase, of a new step where the last one is over; says what has ended with it, null where the run is gone. */
  async next(isWatched: boolean): Promise<AdvanceUnit | null> {
    const { run, life, feed, autosave, clock, target } = this.#around;
    const { trainer } = run;
    if (this.#phases) await this.untilMeasured();
    this.#phases ??= trainer.takeStep(
      (...at) => feed.progress(...at, false),
      () => target() === "part",
    );
    const begun = clock.now();
    const before = trainer.config;
    const result = await this.#phases.next();
    autosave.worked(clock.now() - begun);
    if (life.isOver) return null;
    // A change that the configuration carries has come into force; one by hand was told when it was made.
    const { config, step } = trainer;
    if (!isSame(config, before)) life.send({ type: "settings", settings: dueSettings(config, step), config });
    if (!result.done) return this.#phaseEnded(result.value, isWatched);
    this.#clear();
    pushThinned(run.steps, result.value, MOST_STEPS);
    feed.stepFinished(result.value);
    await autosave.addStep(result.value);
    return "step";
  }

  async #phaseEnded({ phase, sampled, within }: PhaseEnd, isWatched: boolean): Promise<AdvanceUnit> {
    const { run, feed, target } = this.#around;
    this.#lacksRecord = phase === "update" && !within && target() !== "phase" && target() !== "part";
    if (sampled) run.history.add(sampled);
    feed.progress(phase, within?.done ?? 1, within?.total ?? 1, isWatched);
    if (sampled && isWatched) feed.newestGroup(sampled);
    // What the next phase changes can be compared then.
    if (sampled && isWatched && phase === "advantage") await keepWeights(run);
    return within ? "part" : "phase";
  }

  #clear(): void {
    this.#phases = null;
    this.#lacksRecord = false;
  }

  /** Takes a measurement of the last step's weights to wait for it later. */
  readonly measureBeside = (measured: Promise<unknown>): void => {
    this.#beside = measured.then(
      () => [],
      (error: unknown) => [error],
    );
  };

  /** Waits for what is measured beside it. Throws what went wrong, after the step that was begun meanwhile is as if it had not been. */
  async untilMeasured(): Promise<void> {
    const failure = await this.#beside;
    this.#beside = null;
    if (!failure || failure.length === 0) return;
    await this.#phases?.throw(failure[0]);
    throw failure[0];
  }

  /** Lets go of a step that came to nothing; what was not measured is missing when the run goes on, and measured then. */
  async drop(): Promise<void> {
    await this.#beside;
    this.#beside = null;
    this.#clear();
  }
}
