// The whole engine behind two calls: commands in, events out. It owns at most one run at a time; what
// a command cannot do is answered by an "error" event and changes nothing.
import type { RunConfig } from "../protocol/config.ts";
import type { Command, CommandHandlers, EngineEvent, EventBody, LiveSettings, RunState } from "../protocol/messages.ts";
import { InputError } from "../protocol/problems.ts";
import type { ActiveRun } from "./activeRun.ts";
import { Autosave } from "./autosave.ts";
import { catalog } from "./catalog.ts";
import type { Host } from "./host.ts";
import { planRun, prepareRun, type RunFiles } from "./prepareRun.ts";
import { type Advance, RunDriver } from "./runDriver.ts";
import { RunFeed } from "./runFeed.ts";
import { type RunSnapshot, unpackRun } from "./savedRun.ts";

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

function disposeModels(run: ActiveRun | undefined): void {
  run?.model.dispose();
  run?.critic?.dispose();
}

class EngineSession implements Session {
  readonly #emit: (event: EngineEvent) => void;
  readonly #host: Host;
  readonly #autosave: Autosave;
  readonly #handlers: CommandHandlers;
  #current: Current | null = null;
  #runId: string | null = null;
  #state: RunState = "idle";
  #delayMs = 0;
  /** Counts starts and resets: one that is overtaken by another gives up. */
  #generation = 0;

  constructor(emit: (event: EngineEvent) => void, host: Host) {
    this.#emit = emit;
    this.#host = host;
    this.#autosave = new Autosave(host, (event) => this.#send(event));
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
    this.#send({ type: "ready", catalog, resumable: (await this.#host.store?.list()) ?? [] });
  }

  async handle(command: Command): Promise<void> {
    try {
      await (this.#handlers[command.type] as (command: Command) => void | Promise<void>)(command);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const field = error instanceof InputError ? error.problems[0]?.field : undefined;
      this.#send({ type: "error", message, recoverable: true, ...(field ? { field } : {}) });
    }
  }

  #send(event: EventBody): void {
    this.#emit({ ...event, runId: this.#runId });
  }

  #setState(state: RunState, reason?: string): void {
    this.#state = state;
    this.#send({ type: "state", state, ...(reason ? { reason } : {}) });
  }

  #required(): Current {
    if (!this.#current) throw new Error("there is no run: start one first");
    return this.#current;
  }

  async #start(runId: string, files: RunFiles, paused: boolean): Promise<void> {
    // Bad input is found before anything is touched: the earlier run goes on as it was.
    const plan = planRun(files);
    const generation = ++this.#generation;
    const previous = this.#current;
    const stateBefore = this.#state === "running" ? "paused" : this.#state;
    await previous?.driver.pause();
    this.#runId = runId;
    this.#setState("preparing");
    let run: ActiveRun | undefined;
    let lost = null as string | null;
    try {
      run = await prepareRun(runId, plan, this.#host, {
        onPreparing: (what, done, total) => this.#send({ type: "preparing", what, done, total }),
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
      if (generation === this.#generation) {
        this.#runId = previous?.run.runId ?? null;
        this.#setState(previous ? stateBefore : "idle");
      }
      throw error;
    }
    if (generation !== this.#generation) return disposeModels(run);
    disposeModels(previous?.run);
    this.#begin(run, paused);
  }

  #begin(run: ActiveRun, paused: boolean): void {
    const send = (event: EventBody) => {
      if (!run.cancelled) this.#send(event);
    };
    const feed = new RunFeed(run, send, this.#host.now);
    const driver = new RunDriver(run, this.#host, feed, this.#autosave, {
      send,
      onState: (state, reason) => this.#setState(state, reason),
      delayMs: () => this.#delayMs,
    });
    this.#current = { run, feed, driver };
    const { step, config } = run.trainer;
    send({ type: "started", config, step, backend: run.backend, model: run.model.report, continued: step > 0 });
    if (run.steps.length > 0)
      send({ type: "history", steps: [...run.steps], evaluations: [...run.evaluations], baselines: [...run.baselines] });
    this.#setState(paused ? "paused" : "running");
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
      this.#setState(this.#state);
      throw error;
    }
    const config = backend === undefined ? snapshot.config : { ...snapshot.config, backend };
    await this.#start(runId, { config, snapshot }, paused);
  }

  async #pause(): Promise<void> {
    if (this.#state !== "running") return;
    const { driver } = this.#required();
    await driver.pause();
    if (this.#state === "running") this.#setState("paused");
  }

  #go(advance: Advance): void {
    const { driver } = this.#required();
    if (this.#state === "preparing" || this.#state === "failed") return;
    if (this.#state !== "running") this.#setState("running");
    driver.go(advance);
  }

  async #stop(): Promise<void> {
    const { run, driver } = this.#required();
    if (this.#state === "finished") return;
    await driver.pause();
    await this.#autosave.save(run, true);
    this.#setState("finished", "stopped");
  }

  /** Forgets the run, its save included. */
  async #reset(): Promise<void> {
    this.#generation += 1;
    const current = this.#current;
    this.#current = null;
    if (current) {
      current.run.cancelled = true;
      await current.driver.pause();
      disposeModels(current.run);
      await this.#host.store?.remove(current.run.runId);
    }
    this.#runId = null;
    this.#setState("idle");
  }

  #set(settings: LiveSettings): void {
    const { run, driver } = this.#required();
    run.trainer.set(settings);
    this.#send({ type: "settings", settings, config: run.trainer.config });
    if (this.#state === "finished" && !driver.isFinished()) this.#setState("paused");
  }

  async #exportModel(): Promise<void> {
    const files = await this.#required().run.model.exportFiles();
    if (!files) throw new Error("this policy has no Hugging Face form: only a transformer can be exported");
    this.#send({ type: "model-files", files });
  }

  /** Nothing on a lost device can be saved any more; the last save is where the run goes on from. */
  #lose(run: ActiveRun | undefined, reason: string): void {
    if (!run || run !== this.#current?.run || run.cancelled) return;
    const message = `The GPU device was lost (${reason}). The run can go on from its last save.`;
    this.#send({ type: "error", message, recoverable: false });
    run.cancelled = true;
    this.#setState("failed", message);
  }
}
