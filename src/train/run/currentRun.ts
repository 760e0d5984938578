// Which run the engine has, and which one is being prepared to take its place: at most one of each. What a command means depends on
// that: a pause is of the run that is prepared where there is one, and a stop gives that one up and leaves the run before it.
import type { CommandOf } from "../../protocol/commands.ts";
import type { EngineEvent, EventBody, Result } from "../../protocol/messages.ts";
import { Overtaken } from "../../protocol/problems.ts";
import type { Host, OpenSave } from "../host.ts";
import { checkFits } from "../memory/memoryCheck.ts";
import { SavedRuns } from "../save/savedRuns.ts";
import { openPlan } from "../start/openedPlan.ts";
import { checkStart, planRun, type RunFiles, type RunPlan } from "../start/plan.ts";
import { changesRewards, checkCode } from "../start/rewardParts.ts";
import { type ActiveRun, checkRewards, disposeModels } from "../start/start.ts";
import { RunDriver } from "./driver.ts";
import { GIVEN_UP, newPreparation, type Preparation, signalsOf } from "./preparation.ts";
import { RecordedDriver } from "./recorded/recorded.ts";
import type { Recording } from "./recorded/recording.ts";
import { restoreRun } from "./resume/repeatSteps.ts";

/** The one run of an engine, or its recording; owned state. */
export class CurrentRun {
  readonly host: Host;
  readonly saves: SavedRuns;
  /** Wait after each phase, to watch. */
  delayMs = 0;
  readonly #emit: (event: EngineEvent) => void;
  #driver: RunDriver | RecordedDriver | null = null;
  #preparation: Preparation | null = null;
  /** Resets on their way: a start waits until the run before is forgotten. */
  #forgetting: Promise<unknown> | null = null;
  /** Runs that are built, those that nobody waits for any more among them. */
  #building: Promise<unknown> = Promise.resolve();
  /** Counts what has taken a run's place, so that one that took long to read sees that a later one did. */
  #turn = 0;
  #isClosed = false;

  constructor(emit: (event: EngineEvent) => void, host: Host) {
    this.#emit = emit;
    this.host = host;
    this.saves = new SavedRuns(host, (event) => emit({ ...event, runId: null }));
    void this.saves.tell();
  }

  get driver(): RunDriver | RecordedDriver | null {
    return this.#driver;
  }

  get runId(): string | null {
    return this.#driver?.run.runId ?? null;
  }

  /** The run, or its recording; throws where there is none. */
  required(): RunDriver | RecordedDriver {
    if (!this.#driver) throw new Error("there is no run: start one first");
    return this.#driver;
  }

  get isPreparing(): boolean {
    return this.#preparation !== null;
  }

  /** Whether a run goes on, or will again where the one that is prepared comes to nothing. */
  get isGoing(): boolean {
    return this.#preparation?.wasGoing ?? this.#driver?.state.state === "running";
  }

  /** Tells an event of a run, of the newest where none is named. */
  send(event: EventBody, runId = this.#preparation?.runId ?? this.runId): void {
    this.#emit({ ...event, runId });
  }

  #tellState(): void {
    this.send({ type: "state", ...(this.#preparation ? { state: "preparing" } : (this.#driver?.state ?? { state: "idle" })) });
  }

  /**
   * Prepares a run, and puts it in the place of the one before.
   * @param save the save of a run that goes on; it is the run's once the start is done.
   */
  async start(runId: string, files: RunFiles, save: OpenSave | null, isPaused = false, wasGoing = this.isGoing): Promise<void> {
    // Bad input is found before anything is touched: the earlier run goes on as it was.
    const plan = planRun(files, this.host.additions);
    checkStart(plan);
    if (this.#forgetting) await this.#forgetting;
    if (this.#isClosed) throw new Overtaken(GIVEN_UP);
    this.#turn++;
    this.#preparation?.giveUp();
    const preparation = newPreparation(runId, isPaused, wasGoing);
    this.#preparation = preparation;
    this.#tellState();
    const built = this.#build(preparation, plan, save);
    this.#building = Promise.allSettled([this.#building, built]);
    preparation.begun = Promise.race([preparation.givenUp, built]);
    await preparation.begun;
  }

  /**
   * Builds a run beside the one before, which stands still meanwhile, makes room only for one that is there, and goes
   * on where none comes of it.
   */
  async #build(preparation: Preparation, plan: RunPlan, save: OpenSave | null): Promise<void> {
    const { host } = this;
    const isWanted = () => this.#preparation === preparation;
    const before = this.#driver;
    let driver = null as RunDriver | null;
    let lost = null as string | null;
    let run: ActiveRun;
    try {
      const opened = await openPlan(plan, host);
      await checkFits(opened, host);
      await checkCode(plan, host);
      if (!isWanted()) return;
      await before?.halt();
      if (!isWanted()) return;
      const onLost = (reason: string) => {
        lost = reason;
        driver?.lose(reason);
      };
      const send = (event: EventBody) => this.send(event, preparation.runId);
      run = await restoreRun(preparation.runId, opened, host, { ...signalsOf(host, isWanted, send), onLost });
      if (lost !== null || !isWanted()) disposeModels(run);
      if (lost !== null) throw new Error(`the GPU device was lost (${lost})`);
    } catch (error) {
      // A start that was given up has no listener.
      if (!isWanted()) return;
      this.#preparation = null;
      if (preparation.wasGoing && !preparation.isHalted) before?.goOn();
      this.#tellState();
      throw error;
    }
    if (!isWanted()) return;
    // A run that goes on from its own save keeps that in hand.
    const kept = (before?.run.runId === run.runId ? before.autosave.release() : null) ?? save;
    const freed = before?.end();
    this.#keep(before);
    driver = this.#driverOf(run, kept);
    this.#driver = driver;
    this.#preparation = null;
    driver.begin(preparation.isPaused);
    await freed;
  }

  #driverOf(run: ActiveRun, save: OpenSave | null): RunDriver {
    const send = (event: EventBody) => this.send(event, run.runId);
    return new RunDriver(run, this.host, save, {
      send,
      // What happens to a run whose place another is about to take is told if that one comes to nothing.
      onState: (fault) => {
        if (this.#preparation) return;
        // First why, then what came of it.
        if (fault) send({ type: "error", ...fault });
        this.#tellState();
      },
      onStorage: (reason) => this.saves.runFailure(reason),
      onSave: () => void this.saves.tell(),
      delayMs: () => this.delayMs,
    });
  }

  /** Stores the rest of a run whose place is taken, and gives its save up for other tabs. */
  #keep(before: RunDriver | RecordedDriver | null): void {
    void before?.autosave.close().then(() => this.saves.tell());
    this.saves.runFailure(null);
  }

  /**
   * Begins an opening, whose files are read for a while. What it gives puts a recording in the place of the run, which is kept, unless a
   * later start or opening has taken the place meanwhile.
   */
  opening({ paused = false, step }: CommandOf<"open">): (recording: Recording) => Promise<Result<"open">> {
    const turn = ++this.#turn;
    return async (recording) => {
      const [{ runId, place }, before] = [recording, this.#driver];
      if (turn === this.#turn) await before?.halt();
      if (turn === this.#turn) await before?.autosave.stored();
      if (turn !== this.#turn) throw new Overtaken("a later command put another run in the recording's place");
      this.#giveUp();
      const send = (event: EventBody) => this.send(event, runId);
      const driver = new RecordedDriver(recording, this.host, { send, onState: () => this.#driver === driver && this.#tellState() });
      this.#driver = driver;
      this.#keep(before);
      driver.begin(paused, step);
      await before?.end();
      return { runId, ...(place === null ? {} : { place }) };
    };
  }

  async pause(): Promise<void> {
    const preparation = this.#preparation;
    if (!preparation) return this.#driver?.pause();
    preparation.isPaused = true;
    preparation.isHalted = true;
    const hasBegun = await preparation.begun.then(
      () => true,
      () => false,
    );
    if (hasBegun ? !preparation.isPaused : this.#preparation) throw new Overtaken("a later command let the run begin");
    // Where it came to nothing, the run before it stands still.
    if (!hasBegun) await this.#driver?.pause();
  }

  async resume(until: CommandOf<"resume">["until"]): Promise<void> {
    const preparation = this.#preparation;
    if (!preparation) return this.required().resume(until);
    if (until !== undefined) throw new Error(`the run is being prepared: go on until step ${until} once it has begun`);
    preparation.isPaused = false;
    preparation.isHalted = false;
    await preparation.begun;
    if (preparation.isPaused) throw new Overtaken("the run was paused before it began");
  }

  async advance(unit: CommandOf<"advance">["unit"]): Promise<void> {
    if (this.#preparation) throw new Error(`the run is being prepared: take a ${unit} once it has begun`);
    await this.required().advance(unit);
  }

  async set(settings: CommandOf<"set">["settings"]): Promise<void> {
    const driver = this.required();
    if (changesRewards(settings)) {
      if (driver instanceof RunDriver) await checkRewards(driver.run, settings, this.host);
      if (this.#driver !== driver) throw new Overtaken("the run whose rewards were to change has gone");
    }
    driver.set(settings);
  }

  async stop(): Promise<void> {
    if (!this.#preparation) return this.required().stop();
    this.#giveUp();
    // The run before it stands as it did.
    await this.#driver?.halt();
    if (!this.#preparation) this.#tellState();
  }

  #giveUp(): void {
    this.#preparation?.giveUp();
    this.#preparation = null;
  }

  async reset(): Promise<void> {
    const forgotten = this.#forget();
    // Its error goes to whoever asked for the reset, not to a start that waits for it.
    this.#forgetting = Promise.allSettled([this.#forgetting, forgotten]);
    await forgotten;
  }

  /** Forgets the run, its save included. */
  async #forget(): Promise<void> {
    const driver = this.#driver;
    this.#driver = null;
    this.#giveUp();
    try {
      await driver?.end();
      await driver?.autosave.remove();
      this.saves.runFailure(null);
      if (driver) await this.saves.tell();
    } finally {
      this.#tellState();
    }
  }

  /** Ends the run, whose save stays, and frees its models; resolves once nothing is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#giveUp();
    await this.#building;
    await this.#driver?.halt();
    await this.#driver?.autosave.close();
    await this.#driver?.end();
    this.#driver = null;
  }
}
