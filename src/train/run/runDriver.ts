// Drives one run's trainer phase by phase: to the end, for one step or for one phase, letting commands
// in between. What it does at each phase boundary is the same whichever way it is driven.
import type { EventBody, RunState } from "../../protocol/messages.ts";
import type { EvaluationRecord } from "../../protocol/records.ts";
import { MOST_EVALUATIONS, MOST_STEPS, pushThinned } from "../../protocol/thinning.ts";
import { type EvaluationContext, evaluate, measureRandomBaseline, startBaseline } from "../evaluation.ts";
import type { Host } from "../host.ts";
import { NonFiniteError } from "../step/trainer.ts";
import type { ActiveRun } from "./activeRun.ts";
import type { Autosave } from "./autosave.ts";
import type { RunFeed } from "./runFeed.ts";
import { dueSettings } from "./settings.ts";

/** Longest stretch of work before pending commands are let in. */
const YIELD_EVERY_MS = 8;

/** How long an error waits for a better explanation, and how often it looks for one. */
const LOSS_WAIT_MS = 500;
const LOSS_POLL_MS = 20;

/** How far to go before pausing; null goes on to the step limit. */
export type Advance = "step" | "phase" | null;

export interface DriverSignals {
  send(event: EventBody): void;
  /** Called when the driver itself ends running: at the limit, after an advance, on an error. */
  onState(state: RunState, reason?: string): void;
  /** Pause after each phase, to watch. */
  delayMs(): number;
}

/** One run in motion; owned state. */
export class RunDriver {
  readonly #run: ActiveRun;
  readonly #host: Host;
  readonly #feed: RunFeed;
  readonly #autosave: Autosave;
  readonly #signals: DriverSignals;
  #going = false;
  #advance: Advance = null;
  #loop: Promise<void> = Promise.resolve();
  #yieldedAt = 0;

  constructor(run: ActiveRun, host: Host, feed: RunFeed, autosave: Autosave, signals: DriverSignals) {
    this.#run = run;
    this.#host = host;
    this.#feed = feed;
    this.#autosave = autosave;
    this.#signals = signals;
  }

  /** Begins or goes on; while going, only changes how far. */
  go(advance: Advance): void {
    this.#advance = advance;
    if (this.#going) return;
    this.#going = true;
    // A loop that was told to pause may still be finishing its phase.
    this.#loop = this.#loop.then(() => this.#drive());
  }

  /** Stops at the next phase boundary; resolves when there. */
  async pause(): Promise<void> {
    this.#going = false;
    await this.#loop;
  }

  isFinished(): boolean {
    const { trainer, inFlight } = this.#run;
    return !inFlight && trainer.stepLimit > 0 && trainer.step >= trainer.stepLimit;
  }

  async #drive(): Promise<void> {
    const run = this.#run;
    try {
      if (run.baselines.length === 0) await this.#measureStart();
      while (this.#going && !run.cancelled) {
        if (this.#advance === null && this.isFinished()) {
          await this.#autosave.save(run, true);
          this.#end("finished", `reached ${run.trainer.step} steps`);
        } else await this.#takePhase();
        await this.#letCommandsIn();
      }
    } catch (error) {
      const recoverable = error instanceof NonFiniteError;
      if (!recoverable) await this.#awaitLoss();
      if (run.cancelled) return;
      run.inFlight = null;
      const message = error instanceof Error ? error.message : String(error);
      this.#signals.send({ type: "error", message, recoverable });
      this.#end(recoverable ? "paused" : "failed", message);
    }
    this.#feed.flush(true);
  }

  /** A GPU that goes away fails whatever waits for it, in browsers some time before it is announced as lost. */
  async #awaitLoss(): Promise<void> {
    for (let waited = 0; waited < LOSS_WAIT_MS && !this.#run.cancelled; waited += LOSS_POLL_MS) await this.#host.sleep(LOSS_POLL_MS);
  }

  #end(state: RunState, reason?: string): void {
    this.#going = false;
    this.#feed.flush(true);
    this.#signals.onState(state, reason);
  }

  async #takePhase(): Promise<void> {
    const run = this.#run;
    const delayMs = this.#signals.delayMs();
    const watched = this.#advance !== null || delayMs > 0;
    run.inFlight ??= run.trainer.takeStep((phase, done, total) => this.#feed.progress(phase, done, total, false));
    const result = await run.inFlight.next();
    if (run.cancelled) return;
    if (!result.done) {
      const { phase, sampled } = result.value;
      if (sampled) run.history.add(sampled);
      this.#feed.progress(phase, 1, 1, watched);
      if (sampled && watched) this.#feed.newestGroup(sampled);
      if (this.#advance === "phase") this.#end("paused");
      if (delayMs > 0) await this.#host.sleep(delayMs);
      return;
    }
    run.inFlight = null;
    pushThinned(run.steps, result.value, MOST_STEPS);
    this.#feed.stepFinished(result.value);
    if (this.#isEvaluationDue()) await this.#evaluate();
    const isSaved = this.#autosave.isDue(run);
    // What is saved has been told: whoever goes on from it after a crash has seen all its steps.
    this.#feed.flush(watched || isSaved);
    if (isSaved) await this.#autosave.save(run, false);
    // The step's last phase ended when it was yielded; its record needs no phase of its own.
    if (this.#advance === "step") this.#end("paused");
  }

  async #letCommandsIn(): Promise<void> {
    if (this.#host.now() - this.#yieldedAt < YIELD_EVERY_MS) return;
    await this.#host.yield();
    this.#yieldedAt = this.#host.now();
  }

  /** A run that repeats one with live changes starts under what held at first, whatever its configuration ends with. */
  #context(): EvaluationContext {
    const { trainer, model, renderer, task, rewards } = this.#run;
    const config = trainer.step > 0 ? trainer.config : { ...trainer.config, ...dueSettings(trainer.config, 0) };
    return { config, policy: model.policy(), renderer, task, rewards };
  }

  /** The dashed lines of every chart: what chance reaches, and what the policy starts from. */
  async #measureStart(): Promise<void> {
    const { baselines, trainer } = this.#run;
    const random = measureRandomBaseline(this.#context());
    baselines.push(random);
    this.#signals.send({ type: "baseline", record: random });
    if (trainer.step > 0) return;
    const start = startBaseline(await this.#evaluate());
    baselines.push(start);
    this.#signals.send({ type: "baseline", record: start });
  }

  async #evaluate(): Promise<EvaluationRecord> {
    const record = await evaluate(this.#context(), this.#run.trainer.step, (done, total) =>
      this.#feed.progress("evaluate", done, total, done === 0),
    );
    pushThinned(this.#run.evaluations, record, MOST_EVALUATIONS);
    if (!this.#run.cancelled) this.#signals.send({ type: "evaluation", record });
    return record;
  }

  #isEvaluationDue(): boolean {
    const { evalEvery, steps } = this.#run.trainer.config;
    return evalEvery > 0 && (this.#run.trainer.step % evalEvery === 0 || this.#run.trainer.step === steps);
  }
}
