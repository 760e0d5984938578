// The whole engine behind two calls: commands in, events out. It owns at most one run at a time; what
// a command cannot do is answered by an "error" event and changes nothing.
import type { RunConfig } from "../../protocol/config.ts";
import type { LiveSettings } from "../../protocol/configFacts.ts";
import type { Command, CommandHandlers, EngineEvent, EventBody } from "../../protocol/messages.ts";
import { catalog } from "../catalog.ts";
import type { Host } from "../host.ts";
import type { ActiveRun } from "./activeRun.ts";
import { Autosave } from "./autosave.ts";
import { planRun, prepareRun, type RunFiles } from "./prepareRun.ts";
import { type Advance, RunDriver } from "./runDriver.ts";
import { RunFeed } from "./runFeed.ts";
import { type RunSnapshot, readSavedRuns, unpackRun } from "./savedRun.ts";
import { type Preparation, Standing } from "./standing.ts";

export interface Session {
  /** Carries a command out; failures come back as "error" events. */
  handle(command: Command): Promise<void>;
}

/** Starts an engine on a host and announces it with a "ready" event. */
export async function createSession(emit: (event: EngineEvent) => void, host: Host): Promise<Session> {
  const session = new EngineSession(emit, host);
  await session.announce();
  return session;
}

/** A run with what drives it. */
interface Current {
  readonly run: ActiveRun;
  readonly feed: RunFeed;
  readonly driver: RunDriver;
}

const FAILED = "the run has failed: start it anew or continue its save";

function disposeModels(run: ActiveRun | undefined): void {
  run?.model.dispose();
  run?.critic?.dispose();
}

class EngineSession implements Session {
  readonly #host: Host;
  readonly #standing: Standing;
  readonly #autosave: Autosave;
  readonly #handlers: CommandHandlers;
  #current: Current | null = null;
  /** Resets on their way: a start waits until the run before is forgotten. */
  #forgetting: Promise<unknown> | null = null;
  #delayMs = 0;

  constructor(emit: (event: EngineEvent) => void, host: Host) {
    this.#host = host;
    this.#standing = new Standing(emit);
    this.#autosave = new Autosave(host, (event, runId) => this.#standing.send(event, runId));
    this.#handlers = {
      start: ({ runId, config, paused }) => this.#start(runId, { config }, paused ?? false),
      continue: ({ runId, paused, backend }) => this.#continue(runId, paused ?? false, backend),
      pause: () => this.#pause(),
      resume: () => this.#go(null),
      advance: ({ unit }) => this.#go(unit),
      stop: () => this.#stop(),
      reset: () => this.#reset(),
      set: ({ settings }) => this.#set(settings),
      pace: ({ delayMs }) => {
        this.#delayMs = delayMs;
      },
      inspect: ({ step, promptIndex }) => this.#required().feed.inspect(step, promptIndex),
      "export-model": () => this.#exportModel(),
    };
  }

  async announce(): Promise<void> {
    const { runs, problems } = readSavedRuns((await this.#host.store?.list()) ?? []);
    this.#standing.send({ type: "ready", catalog, resumable: runs });
    for (const message of problems) this.#standing.send({ type: "notice", message });
  }

  async handle(command: Command): Promise<void> {
    try {
      await (this.#handlers[command.type] as (command: Command) => void | Promise<void>)(command);
    } catch (error) {
      this.#standing.tellError(error);
    }
  }

  #required(): Current {
    if (!this.#current) throw new Error("there is no run: start one first");
    return this.#current;
  }

  async #start(runId: string, files: RunFiles, paused: boolean): Promise<void> {
    // Bad input is found before anything is touched: the earlier run goes on as it was.
    const plan = planRun(files);
    if (this.#forgetting) await this.#forgetting;
    const preparation = this.#standing.prepare(runId, paused);
    const isWanted = () => this.#standing.preparing === preparation;
    await this.#current?.driver.pause();
    if (!isWanted()) return;
    let run: ActiveRun | undefined;
    let lost = null as string | null;
    try {
      run = await prepareRun(runId, plan, this.#host, {
        onPreparing: (what, done, total) => {
          if (isWanted()) this.#standing.send({ type: "preparing", what, done, total });
        },
        onLost: (reason) => {
          lost = reason;
          this.#lose(run, reason);
        },
      });
      if (lost !== null) {
        disposeModels(run);
        throw new Error(`the GPU device was lost (${lost})`);
      }
    } catch (error) {
      // Told before the state: whoever waits for the run learns why it does not come. Of a start that
      // was overtaken nobody waits to hear.
      if (!isWanted()) return;
      this.#standing.tellError(error);
      this.#standing.abandon();
      this.#standing.tellState();
      return;
    }
    if (!isWanted()) return disposeModels(run);
    disposeModels(this.#current?.run);
    this.#begin(run, preparation);
  }

  #begin(run: ActiveRun, { paused }: Preparation): void {
    const send = (event: EventBody) => {
      if (!run.cancelled) this.#standing.send(event, run.runId);
    };
    const feed = new RunFeed(run, send, this.#host.now);
    const driver = new RunDriver(run, this.#host, feed, this.#autosave, {
      send,
      onState: (state, reason) => {
        if (!run.cancelled) this.#standing.move(state, reason);
      },
      delayMs: () => this.#delayMs,
    });
    this.#current = { run, feed, driver };
    this.#standing.begin(run.runId);
    const { step, config } = run.trainer;
    send({ type: "started", config, step, backend: run.backend, model: run.model.report, continued: step > 0 });
    if (run.steps.length > 0)
      send({ type: "history", steps: [...run.steps], evaluations: [...run.evaluations], baselines: [...run.baselines] });
    this.#standing.move(paused ? "paused" : "running");
    if (!paused) driver.go(null);
  }

  async #continue(runId: string, paused: boolean, backend: RunConfig["backend"] | undefined): Promise<void> {
    let snapshot: RunSnapshot;
    try {
      const saved = await this.#host.store?.load(runId);
      if (!saved) throw new Error(`there is no saved run ${runId}`);
      snapshot = unpackRun(saved.bytes);
    } catch (error) {
      // Whoever asked waits for a state, and it is still the one before.
      this.#standing.tellState();
      throw error;
    }
    const config = backend === undefined ? snapshot.config : { ...snapshot.config, backend };
    await this.#start(runId, { config, snapshot }, paused);
  }

  async #pause(): Promise<void> {
    const { preparing } = this.#standing;
    if (preparing) preparing.paused = true;
    if (preparing || this.#standing.state !== "running") return;
    await this.#required().driver.pause();
    if (this.#standing.state === "running") this.#standing.move("paused");
  }

  #go(advance: Advance): void {
    const { preparing, state } = this.#standing;
    if (preparing) {
      if (advance !== null) throw new Error(`the run is being prepared: take a ${advance} once it has begun`);
      preparing.paused = false;
      return;
    }
    const { driver } = this.#required();
    if (state === "failed") throw new Error(FAILED);
    if (state !== "running") this.#standing.move("running");
    driver.go(advance);
  }

  async #stop(): Promise<void> {
    if (this.#standing.preparing) return this.#giveUp();
    const { run, driver } = this.#required();
    if (this.#standing.state === "failed") throw new Error(FAILED);
    if (this.#standing.state === "finished") return;
    // A start, a reset or a failure on the way has the last word.
    const isHere = () => !this.#standing.preparing && this.#current?.run === run && this.#standing.state !== "failed";
    await driver.pause();
    if (isHere()) await this.#autosave.save(run, true);
    if (isHere()) this.#standing.move("finished", "stopped");
  }

  /** Ends a preparation: the run before it stands as it did. */
  async #giveUp(): Promise<void> {
    this.#standing.abandon();
    await this.#current?.driver.pause();
    if (!this.#standing.preparing) this.#standing.tellState();
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
    this.#standing.abandon();
    try {
      if (!current) return;
      current.run.cancelled = true;
      await current.driver.pause();
      disposeModels(current.run);
      await this.#host.store?.remove(current.run.runId);
    } finally {
      this.#standing.forget();
    }
  }

  #set(settings: LiveSettings): void {
    const { run, driver } = this.#required();
    run.trainer.set(settings);
    this.#standing.send({ type: "settings", settings, config: run.trainer.config }, run.runId);
    if (this.#standing.state === "finished" && !driver.isFinished()) this.#standing.move("paused");
  }

  async #exportModel(): Promise<void> {
    const files = await this.#required().run.model.exportFiles();
    if (!files) throw new Error("this policy has no Hugging Face form: only a transformer can be exported");
    this.#standing.send({ type: "model-files", files });
  }

  /** Nothing on a lost device can be saved any more; the last save is where the run goes on from. */
  #lose(run: ActiveRun | undefined, reason: string): void {
    if (!run || run !== this.#current?.run || run.cancelled) return;
    const message = `The GPU device was lost (${reason}). The run can go on from its last save.`;
    run.cancelled = true;
    // Whoever waits for another run that is being prepared would take the error for its own.
    if (!this.#standing.preparing) this.#standing.send({ type: "error", message, recoverable: false });
    this.#standing.move("failed", message);
  }
}
