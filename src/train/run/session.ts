// The whole engine behind two calls: commands in, events out. It owns at most one run, and at most one
// that is being prepared to take its place. Every command gets exactly one answer; one that cannot be
// carried out changes nothing.
import { type Command, type CommandOf, commandSchema } from "../../protocol/commands.ts";
import { type CommandHandlers, dispatch, type EngineEvent, type EventBody, type Result } from "../../protocol/messages.ts";
import { Overtaken, parseOrThrow } from "../../protocol/problems.ts";
import { catalog } from "../catalog.ts";
import type { Host, OpenSave } from "../host.ts";
import { checkFits } from "../memory/memoryCheck.ts";
import { SavedRuns } from "../save/savedRuns.ts";
import { openPlan } from "../start/openedPlan.ts";
import { checkStart, planRun, type RunFiles, type RunPlan } from "../start/plan.ts";
import { changesRewards, checkCode } from "../start/rewardParts.ts";
import { triedHere } from "../start/runRewards.ts";
import { type ActiveRun, checkRewards, disposeModels } from "../start/start.ts";
import { triesOn } from "../tried/tryTask.ts";
import { RunDriver } from "./driver.ts";
import { looksAt } from "./looks.ts";
import { GIVEN_UP, newPreparation, type Preparation, signalsOf } from "./preparation.ts";
import { RecordedDriver } from "./recorded/recorded.ts";
import { filesInheriting, openInTurn, type SaveSession, saveHandlers } from "./resume/fromSave.ts";
import { restoreRun } from "./resume/repeatSteps.ts";
import { failedAnswer } from "./runFeed.ts";

export interface Session {
  /** Checks a command and carries it out; resolves once it is answered. */
  handle(command: unknown): Promise<void>;
  /** Ends the run, whose save stays, and frees its models; resolves once nothing is left. Nothing may be asked afterwards. */
  close(): Promise<void>;
}

/** Starts an engine on a host and announces it with a "ready" event. */
export async function createSession(emit: (event: EngineEvent) => void, host: Host): Promise<Session> {
  emit({ type: "ready", runId: null, catalog });
  return new EngineSession(emit, host);
}

class EngineSession implements Session {
  readonly #emit: (event: EngineEvent) => void;
  readonly #host: Host;
  readonly #saves: SavedRuns;
  readonly #handlers: CommandHandlers;
  readonly #ways: SaveSession;
  #current: RunDriver | RecordedDriver | null = null;
  #preparation: Preparation | null = null;
  /** Resets on their way: a start waits until the run before is forgotten. */
  #forgetting: Promise<unknown> | null = null;
  /** Runs that are built, those that nobody waits for any more among them. */
  #building: Promise<unknown> = Promise.resolve();
  /** Counts what has taken a run's place, so that one that took long to read sees that a later one did. */
  #turn = 0;
  #isClosed = false;
  #delayMs = 0;

  constructor(emit: (event: EngineEvent) => void, host: Host) {
    this.#emit = emit;
    this.#host = host;
    this.#saves = new SavedRuns(host, (event) => emit({ ...event, runId: null }));
    void this.#saves.tell();
    this.#ways = {
      ...{ host, saves: this.#saves, start: (...start: Parameters<SaveSession["start"]>) => this.#start(...start) },
      ...{ current: () => this.#current, isGoing: () => this.#isGoing, isPreparing: () => this.#preparation !== null },
      tell: (event) => this.#send(event),
    };
    this.#handlers = {
      start: (command) => this.#startFresh(command),
      ...saveHandlers(this.#ways),
      open: (command) => this.#open(command),
      pause: () => this.#pause(),
      resume: ({ until }) => this.#resume(until),
      advance: ({ unit }) => this.#advance(unit),
      stop: () => this.#stop(),
      reset: () => this.#reset(),
      set: ({ settings }) => (changesRewards(settings) ? this.#setRewards(settings) : this.#required().set(settings)),
      pace: ({ delayMs }) => {
        this.#delayMs = delayMs;
      },
      ...triesOn(host, (event) => this.#send(event)),
      ...looksAt(
        () => this.#required(),
        (event) => this.#send(event),
        host,
      ),
      "try-reward": (request) => triedHere(request, this.#host),
      save: () => this.#current?.autosave.stored(),
    };
  }

  async handle(data: unknown): Promise<void> {
    const runId = () => this.#current?.run.runId ?? null;
    try {
      const command = parseOrThrow(commandSchema, data);
      const result = await dispatch<Command, [], unknown>(this.#handlers, command);
      // One handler for each command says which result belongs to it.
      this.#emit({ type: "answer", runId: runId(), outcome: "done", id: command.id, command: command.type, result } as EngineEvent);
    } catch (error) {
      this.#emit({ type: "answer", runId: runId(), ...failedAnswer(data, error) });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#giveUp();
    await this.#building;
    await this.#current?.halt();
    await this.#current?.autosave.close();
    await this.#current?.end();
    this.#current = null;
  }

  #send(event: EventBody, runId = this.#preparation?.runId ?? this.#current?.run.runId ?? null): void {
    this.#emit({ ...event, runId });
  }
  #tellState(): void {
    this.#send({ type: "state", ...(this.#preparation ? { state: "preparing" } : (this.#current?.state ?? { state: "idle" })) });
  }

  #required(): RunDriver | RecordedDriver {
    if (!this.#current) throw new Error("there is no run: start one first");
    return this.#current;
  }

  /** Whether a run goes on, or will again where the one that is prepared comes to nothing. */
  get #isGoing(): boolean {
    return this.#preparation?.wasGoing ?? this.#current?.state.state === "running";
  }

  async #startFresh({ runId, config, paused, inherit }: CommandOf<"start">): Promise<void> {
    await this.#start(runId, inherit ? await filesInheriting(this.#required(), config) : { config }, null, paused);
  }

  /** @param save the save of a run that goes on; it is the run's once the start is done. */
  async #start(runId: string, files: RunFiles, save: OpenSave | null, isPaused = false, wasGoing = this.#isGoing): Promise<void> {
    // Bad input is found before anything is touched: the earlier run goes on as it was.
    const plan = planRun(files, this.#host.additions);
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

  /** Builds a run beside the one before, which stands still meanwhile, makes room only for one that is there, and goes on where none comes of it. */
  async #build(preparation: Preparation, plan: RunPlan, save: OpenSave | null): Promise<void> {
    const isWanted = () => this.#preparation === preparation;
    const before = this.#current;
    let [driver, lost] = [null as RunDriver | null, null as string | null];
    let run: ActiveRun;
    try {
      const opened = await openPlan(plan, this.#host);
      await checkFits(opened, this.#host);
      await checkCode(plan, this.#host);
      if (!isWanted()) return;
      await before?.halt();
      if (!isWanted()) return;
      const onLost = (reason: string) => {
        lost = reason;
        driver?.lose(reason);
      };
      const send = (event: EventBody) => this.#send(event, preparation.runId);
      run = await restoreRun(preparation.runId, opened, this.#host, { ...signalsOf(this.#host, isWanted, send), onLost });
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
    void before?.autosave.close().then(() => this.#saves.tell());
    this.#saves.runFailure(null);
    driver = this.#driverOf(run, kept);
    this.#current = driver;
    this.#preparation = null;
    driver.begin(preparation.isPaused);
    await freed;
  }

  #driverOf(run: ActiveRun, save: OpenSave | null): RunDriver {
    const send = (event: EventBody) => this.#send(event, run.runId);
    return new RunDriver(run, this.#host, save, {
      send,
      // What happens to a run whose place another is about to take is told if that one comes to nothing.
      onState: (fault) => {
        if (this.#preparation) return;
        // First why, then what came of it.
        if (fault) send({ type: "error", ...fault });
        this.#tellState();
      },
      onStorage: (reason) => this.#saves.runFailure(reason),
      onSave: () => void this.#saves.tell(),
      delayMs: () => this.#delayMs,
    });
  }

  async #setRewards(settings: CommandOf<"set">["settings"]): Promise<void> {
    const driver = this.#required();
    if (driver instanceof RunDriver) await checkRewards(driver.run, settings, this.#host);
    if (this.#current !== driver) throw new Overtaken("the run whose rewards were to change has gone");
    driver.set(settings);
  }

  /** Puts a recording in the place of the run, which is kept. */
  async #open(command: CommandOf<"open">): Promise<Result<"open">> {
    // Its files are read for a while, in which a later start or opening may have taken the place.
    const turn = ++this.#turn;
    return openInTurn(this.#ways, command, async (recording) => {
      const [{ runId, place }, before] = [recording, this.#current];
      if (turn === this.#turn) await before?.halt();
      if (turn === this.#turn) await before?.autosave.stored();
      if (turn !== this.#turn) throw new Overtaken("a later command put another run in the recording's place");
      this.#giveUp();
      const send = (event: EventBody) => this.#send(event, runId);
      const driver = new RecordedDriver(recording, this.#host, { send, onState: () => this.#current === driver && this.#tellState() });
      this.#current = driver;
      void before?.autosave.close().then(() => this.#saves.tell());
      this.#saves.runFailure(null);
      driver.begin(command.paused ?? false, command.step);
      await before?.end();
      return { runId, ...(place === null ? {} : { place }) };
    });
  }

  async #pause(): Promise<void> {
    const preparation = this.#preparation;
    if (!preparation) return this.#current?.pause();
    preparation.isPaused = true;
    preparation.isHalted = true;
    const hasBegun = await preparation.begun.then(
      () => true,
      () => false,
    );
    if (hasBegun ? !preparation.isPaused : this.#preparation) throw new Overtaken("a later command let the run begin");
    // Where it came to nothing, the run before it stands still.
    if (!hasBegun) await this.#current?.pause();
  }

  async #resume(until: CommandOf<"resume">["until"]): Promise<void> {
    const preparation = this.#preparation;
    if (!preparation) return this.#required().resume(until);
    if (until !== undefined) throw new Error(`the run is being prepared: go on until step ${until} once it has begun`);
    preparation.isPaused = false;
    preparation.isHalted = false;
    await preparation.begun;
    if (preparation.isPaused) throw new Overtaken("the run was paused before it began");
  }

  async #advance(unit: CommandOf<"advance">["unit"]): Promise<void> {
    if (this.#preparation) throw new Error(`the run is being prepared: take a ${unit} once it has begun`);
    await this.#required().advance(unit);
  }

  async #stop(): Promise<void> {
    if (!this.#preparation) return this.#required().stop();
    this.#giveUp();
    // The run before it stands as it did.
    await this.#current?.halt();
    if (!this.#preparation) this.#tellState();
  }

  #giveUp(): void {
    this.#preparation?.giveUp();
    this.#preparation = null;
  }

  async #reset(): Promise<void> {
    const forgotten = this.#forget();
    // Its error goes to whoever asked for the reset, not to a start that waits for it.
    this.#forgetting = Promise.allSettled([this.#forgetting, forgotten]);
    await forgotten;
  }

  /** Forgets the run, its save included. */
  async #forget(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    this.#giveUp();
    try {
      await current?.end();
      await current?.autosave.remove();
      this.#saves.runFailure(null);
      if (current) await this.#saves.tell();
    } finally {
      this.#tellState();
    }
  }
}
