// One run in motion: it is driven phase by phase, to the end, for one step or for one phase, and commands are let in between.
// The driver alone moves its run's state, and settles whoever waits for it to rest or for a step to end.
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunState } from "../../protocol/messages.ts";
import { errorText, Overtaken, Recoverable } from "../../protocol/problems.ts";
import type { Additions, Clock, Host, OpenSave } from "../host.ts";
import { type ActiveRun, checkSettings, disposeModels } from "../start/start.ts";
import { Autosave } from "./autosave.ts";
import { type AdvanceUnit, Course, type Target, upTo } from "./course.ts";
import { measureMissing, measureStep } from "./evaluateRun.ts";
import { type DriverSignals, RunFeed } from "./runFeed.ts";
import { RunLife } from "./runLife.ts";
import { canMeasureBeside, StepInFlight } from "./stepInFlight.ts";
import { awaitLoss, Queries } from "./waiters.ts";

type DriverHost = Clock & Pick<Host, "store" | "additions" | "quickEvaluationEveryMs">;

/** A run and what moves it; owned state. */
export class RunDriver {
  readonly run: ActiveRun;
  readonly autosave: Autosave;
  readonly #clock: Clock;
  readonly #additions: Additions | undefined;
  readonly #signals: DriverSignals;
  readonly #feed: RunFeed;
  readonly #life: RunLife;
  readonly #step: StepInFlight;
  readonly #course = new Course();
  readonly #queries = new Queries();
  /** Whether something works on the model. */
  #isDriving = false;
  #hasSave = false;

  /** @param save the run's save where this engine has it already. */
  constructor(run: ActiveRun, host: DriverHost, save: OpenSave | null, signals: DriverSignals) {
    this.run = run;
    this.#clock = host;
    this.#additions = host.additions;
    this.#signals = signals;
    this.#life = new RunLife(signals);
    this.#feed = new RunFeed(run, (event) => this.#life.send(event), host);
    this.autosave = new Autosave(run, { clock: host, store: host.store }, save, {
      onStored: (step) => this.#feed.saved(step),
      onStorage: (reason) => !this.#life.isOver && signals.onStorage(reason),
      onSaved: (step, bytes) => {
        // By now the run may be gone.
        signals.send({ type: "saved", step, bytes, kept: run.kept.steps });
        if (!this.#hasSave) signals.onSave();
        this.#hasSave = true;
      },
      isAtRest: () => !this.#isDriving && this.#step.isOver && !this.#life.isOver && this.#life.state !== "failed",
    });
    const { autosave } = this;
    this.#step = new StepInFlight({ run, life: this.#life, feed: this.#feed, autosave, clock: host, target: () => this.#course.target });
  }

  get state(): { readonly state: RunState; readonly reason?: string } {
    return this.#life.told;
  }

  /** Tells the run and what it has recorded, and sets it going unless it begins paused. */
  begin(isPaused: boolean): void {
    const { trainer, backend, model } = this.run;
    const { step, config } = trainer;
    this.#life.send({ type: "started", config, step, backend, model: model.report, continued: step > 0 });
    this.#feed.history();
    if (this.run.remark) this.#life.send({ type: "notice", message: this.run.remark });
    if (this.run.isInherited && step === 0) void this.autosave.checkpoint().catch(() => {});
    if (isPaused) this.#stand(this.#isAtLimit() ? "finished" : "paused", false);
    else this.resume();
    // What was repeated need not be repeated again.
    if (isPaused && step > 0) void this.autosave.rest(true).catch(() => {});
  }

  /** @param until step at whose end the run pauses; its limit alone where there is none. */
  resume(until?: number): void {
    this.#go(upTo(until, this.run.trainer.step));
  }

  /** Goes on as far as it was to go, where it was halted for something that came to nothing and nobody has paused it. */
  goOn(): void {
    if (this.#life.state === "paused" && this.#course.isHalted) this.#go(this.#course.target);
  }

  /** Resolves when that is over. */
  advance(unit: AdvanceUnit): Promise<void> {
    this.#go(unit);
    return this.#course.untilOver(unit);
  }

  /** Stops at the next phase boundary; true once the run stands still, false when it was told to go on before. */
  async halt(): Promise<boolean> {
    this.#course.halt();
    return !this.#isDriving || this.#course.untilStill();
  }

  async pause(): Promise<void> {
    this.#course.pause();
    if (this.#isDriving && !(await this.#course.untilStill())) throw new Overtaken("the run was told to go on before it had paused");
  }

  /** Ends the run for now: it is saved and can still be extended. */
  async stop(): Promise<void> {
    if (this.#life.state === "finished") return;
    this.#life.checkAlive();
    const isHere = () => !this.#course.isGoing && !this.#life.isOver && this.#life.state !== "failed";
    await this.halt();
    if (isHere()) await this.autosave.stored();
    if (!isHere()) throw new Overtaken("the run went on, failed or was forgotten before it had stopped");
    this.#life.move("finished", "stopped");
  }

  set(settings: LiveSettings): void {
    const { trainer } = this.run;
    checkSettings(this.run, settings, this.#additions);
    trainer.set(settings);
    this.autosave.configured();
    this.#life.send({ type: "settings", settings, config: trainer.config });
    if (this.#life.state === "finished" && !this.#isAtLimit()) this.#life.move("paused");
  }

  /** Lets somebody look at the model at the next phase's end, or at once where the run stands still; it must stay as it is. */
  async atRest<T>(look: (run: ActiveRun) => Promise<T>): Promise<T> {
    this.#life.checkAlive();
    if (this.#isDriving) return this.#queries.wait(() => look(this.run));
    this.#isDriving = true;
    try {
      await this.autosave.untilTaken();
      return await look(this.run);
    } finally {
      while (!this.#queries.isEmpty) await this.#queries.letIn();
      this.#isDriving = false;
      if (this.#course.isGoing && !this.#life.isOver) void this.#drive();
      else this.#course.settle();
    }
  }

  /** The same for what reads weights alone: a run that failed stands still for good. */
  read<T>(look: (run: ActiveRun) => Promise<T>): Promise<T> {
    return this.#life.state === "failed" ? look(this.run) : this.atRest(look);
  }

  inspect(step: number, promptIndex?: number) {
    return this.#feed.inspect(step, promptIndex);
  }

  /** Nothing on a lost device can be saved any more; the last save is where the run goes on from. */
  lose(reason: string): void {
    if (this.#life.isOver) return;
    this.#fail(`The GPU device was lost (${reason}). The run can go on from its last save.`, false);
    this.#life.isOver = true;
  }

  /** Ends the run for good: nothing more is told, and its models are freed once nothing works on them. */
  async end(): Promise<void> {
    this.#life.isOver = true;
    if (this.#isDriving) await this.halt();
    await this.autosave.untilTaken().catch(() => {});
    disposeModels(this.run);
  }

  /** Begins or goes on; while going, only changes how far. */
  #go(target: Target): void {
    this.#life.checkAlive();
    this.#course.go(target);
    if (this.#life.state !== "running") this.#life.move("running");
    if (!this.#isDriving) void this.#drive();
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    try {
      await this.autosave.untilTaken();
      if (!this.#life.isOver) await this.autosave.begin();
      await measureMissing(this.run, this.#feed, this.autosave);
      // An export of the run as measured is refused once the next step has begun.
      await this.#queries.letIn();
      do {
        while ((this.#course.isGoing || this.#step.lacksRecord) && !this.#life.isOver) {
          if (typeof this.#course.target !== "string" && this.#isAtLimit()) {
            await this.#rest();
            // Steps may have been added meanwhile.
            if (this.#isAtLimit()) this.#stand("finished");
          } else await this.#takePhase();
          if (!this.#queries.isEmpty) await this.#queries.letIn(() => this.#step.untilMeasured());
          await this.run.pause();
        }
        await this.#rest();
        if (!this.#queries.isEmpty) await this.#queries.letIn();
      } while ((this.#course.isGoing && !this.#life.isOver) || !this.#queries.isEmpty);
    } catch (error) {
      const isRecoverable = error instanceof Recoverable;
      await this.#step.drop();
      if (isRecoverable) await this.#rest().catch(() => {});
      else await awaitLoss(this.#clock, () => this.#life.isOver);
      while (!this.#queries.isEmpty) await this.#queries.letIn();
      if (!this.#life.isOver) this.#fail(errorText(error), isRecoverable);
    }
    this.#isDriving = false;
    if (this.#life.state === "running") this.#stand("paused");
    this.#course.settle();
  }

  /** What was recorded is kept before the run is said to stand still. */
  async #rest(): Promise<void> {
    await this.#step.untilMeasured();
    if (!this.#life.isOver) await this.autosave.rest(this.#step.isOver);
  }

  async #takePhase(): Promise<void> {
    const { step } = this.run.trainer;
    const delayMs = this.#signals.delayMs();
    const isWatched = typeof this.#course.target === "string" || delayMs > 0 || this.#course.endsWith("step", step + 1);
    const ended = await this.#step.next(isWatched);
    if (ended === "step") return this.#endStep(isWatched);
    if (ended === null) return;
    await this.#arrive(ended);
    if (delayMs > 0) await this.#clock.sleep(delayMs);
  }

  /** What is due after a step: its evaluation and a checkpoint, before it is said to be over. */
  async #endStep(isWatched: boolean): Promise<void> {
    const { run, autosave } = this;
    const isBeside = !isWatched && !this.#isAtLimit() && canMeasureBeside(run);
    if (this.#course.isGoing && !isBeside) await measureStep(run, this.#feed, autosave);
    if (this.#life.isOver) return;
    if (autosave.isCheckpointDue()) await autosave.checkpoint();
    if (isWatched) await this.#rest();
    this.#feed.flush(isWatched);
    await this.#arrive("step");
    if (this.#course.isGoing && isBeside) await measureStep(run, this.#feed, autosave, this.#step.measureBeside);
  }

  /** The end of a step or a phase: the run pauses if it was to go so far, and whoever waits for it is told. */
  async #arrive(unit: AdvanceUnit): Promise<void> {
    const { step } = this.run.trainer;
    if (this.#course.endsWith(unit, step)) await this.#rest();
    if (this.#course.endsWith(unit, step)) {
      this.#course.pause();
      this.#stand("paused");
    }
    this.#course.arrive(unit, step);
  }

  /** The loop ends here, in this state; finished is said of the limit. */
  #stand(state: "paused" | "finished", tellsGroups = true): void {
    this.#course.end();
    if (tellsGroups) this.#feed.flush(true);
    this.#life.move(
      state,
      state === "finished" ? `reached ${this.run.trainer.step} step${this.run.trainer.step === 1 ? "" : "s"}` : undefined,
    );
  }

  #fail(message: string, recoverable: boolean): void {
    this.#course.end();
    this.#feed.flush(true);
    this.#life.move(recoverable ? "paused" : "failed", message, { message, recoverable });
    this.#course.settle(new Error(message));
  }

  #isAtLimit(): boolean {
    const { trainer } = this.run;
    return this.#step.isOver && trainer.stepLimit > 0 && trainer.step >= trainer.stepLimit;
  }
}
