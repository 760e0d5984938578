// The whole engine behind two calls: commands in, events out. It owns at most one run, and at most one
// that is being prepared to take its place. Every command gets exactly one answer; one that cannot be
// carried out changes nothing.
import { type Command, commandSchema } from "../../protocol/commands.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { type CommandHandlers, dispatch, type EngineEvent, type EventBody, type Failed, type ModelFile } from "../../protocol/messages.ts";
import { InputError, Overtaken, parseOrThrow } from "../../protocol/problems.ts";
import { catalog } from "../catalog.ts";
import { checkMemory, estimateRun } from "../engine/memoryCheck.ts";
import type { Host, SavedRun } from "../host.ts";
import type { ActiveRun } from "./activeRun.ts";
import { planRun, prepareRun, type RunFiles, type RunPlan } from "./prepareRun.ts";
import { RunDriver } from "./runDriver.ts";
import { readSavedRuns, unpackRun } from "./savedRun.ts";

export interface Session {
  /** Checks a command and carries it out; resolves once it is answered. */
  handle(command: unknown): Promise<void>;
}

/** Starts an engine on a host and announces it with a "ready" event. */
export async function createSession(emit: (event: EngineEvent) => void, host: Host): Promise<Session> {
  emit({ type: "ready", runId: null, catalog });
  const session = new EngineSession(emit, host);
  await session.tellSaves();
  return session;
}

/** A run on its way; a pause or resume meanwhile changes how it begins. */
interface Preparation {
  readonly runId: string;
  isPaused: boolean;
  readonly giveUp: () => void;
  readonly givenUp: Promise<never>;
  /** Resolves when the run has begun; rejects with why it has not. */
  begun: Promise<void>;
}

const GIVEN_UP = "the run was given up before it began: it was stopped, reset or overtaken by another start";

function newPreparation(runId: string, isPaused: boolean): Preparation {
  let giveUp = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Overtaken(GIVEN_UP));
  });
  return { runId, isPaused, giveUp, givenUp, begun: givenUp };
}

/** The id of a command that may have nothing else right. */
function idOf(data: unknown): number | null {
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : null;
  return typeof id === "number" ? id : null;
}

function reasonOf(error: unknown): Pick<Failed, "message" | "field" | "overtaken"> {
  const message = error instanceof Error ? error.message : String(error);
  const field = error instanceof InputError ? error.problems[0]?.field : undefined;
  return { message, ...(field ? { field } : {}), ...(error instanceof Overtaken ? { overtaken: true } : {}) };
}

class EngineSession implements Session {
  readonly #emit: (event: EngineEvent) => void;
  readonly #host: Host;
  readonly #handlers: CommandHandlers;
  #current: RunDriver | null = null;
  #preparation: Preparation | null = null;
  /** Resets on their way: a start waits until the run before is forgotten. */
  #forgetting: Promise<unknown> | null = null;
  #delayMs = 0;

  constructor(emit: (event: EngineEvent) => void, host: Host) {
    this.#emit = emit;
    this.#host = host;
    this.#handlers = {
      start: ({ runId, config, paused }) => this.#start(runId, { config }, paused),
      continue: ({ runId, paused, backend, copyAs }) => this.#continue(runId, copyAs ?? runId, paused, backend),
      pause: () => this.#pause(),
      resume: () => this.#resume(),
      advance: ({ unit }) => this.#advance(unit),
      stop: () => this.#stop(),
      reset: () => this.#reset(),
      set: ({ settings }) => this.#required().set(settings),
      pace: ({ delayMs }) => {
        this.#delayMs = delayMs;
      },
      estimate: ({ config }) => estimateRun(planRun({ config }), this.#host),
      inspect: ({ step, promptIndex }) => this.#required().inspect(step, promptIndex),
      "export-model": () => this.#exportModel(),
      save: () => this.#current?.save(),
      "delete-save": ({ runId }) => this.#deleteSave(runId),
      "read-save": ({ runId }) => this.#readSave(runId),
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
      this.#emit({ type: "answer", runId: runId(), outcome: "failed", id: idOf(data), ...reasonOf(error) });
    }
  }

  /** Tells which runs are saved. */
  async tellSaves(): Promise<void> {
    const { store } = this.#host;
    if (store) this.#emit({ type: "saves", runId: null, runs: readSavedRuns(await store.list()) });
  }

  #send(event: EventBody, runId = this.#preparation?.runId ?? this.#current?.run.runId ?? null): void {
    this.#emit({ ...event, runId });
  }

  #tellState(): void {
    this.#send({ type: "state", ...(this.#preparation ? { state: "preparing" } : (this.#current?.state ?? { state: "idle" })) });
  }

  #required(): RunDriver {
    if (!this.#current) throw new Error("there is no run: start one first");
    return this.#current;
  }

  async #start(runId: string, files: RunFiles, isPaused = false): Promise<void> {
    // Bad input is found before anything is touched: the earlier run goes on as it was.
    const plan = planRun(files);
    if (this.#forgetting) await this.#forgetting;
    this.#preparation?.giveUp();
    const preparation = newPreparation(runId, isPaused);
    this.#preparation = preparation;
    this.#tellState();
    preparation.begun = Promise.race([preparation.givenUp, this.#build(preparation, plan)]);
    await preparation.begun;
  }

  /** Builds a run beside the one before, which stands still meanwhile and makes room only for one that is there. */
  async #build(preparation: Preparation, plan: RunPlan): Promise<void> {
    const isWanted = () => this.#preparation === preparation;
    const before = this.#current;
    let driver: RunDriver | undefined;
    let lost = null as string | null;
    try {
      await checkMemory(plan, this.#host);
      if (!isWanted()) return;
      await before?.halt();
      if (!isWanted()) return;
      const run = await prepareRun(preparation.runId, plan, this.#host, {
        onPreparing: (what, done, total) => {
          if (isWanted()) this.#send({ type: "preparing", what, done, total });
        },
        pause: async () => {
          await this.#host.yield();
          if (!isWanted()) throw new Overtaken(GIVEN_UP);
        },
        onLost: (reason) => {
          lost = reason;
          driver?.lose(reason);
        },
      });
      driver = this.#driverOf(run);
      if (lost !== null || !isWanted()) await driver.end();
      if (lost !== null) throw new Error(`the GPU device was lost (${lost})`);
    } catch (error) {
      // Of a start that was given up nobody waits to hear.
      if (!isWanted()) return;
      this.#preparation = null;
      this.#tellState();
      throw error;
    }
    if (!isWanted()) return;
    this.#current = driver;
    this.#preparation = null;
    const freed = before?.end();
    driver.begin(preparation.isPaused);
    await freed;
  }

  #driverOf(run: ActiveRun): RunDriver {
    const send = (event: EventBody) => this.#send(event, run.runId);
    return new RunDriver(run, this.#host, {
      send,
      // What happens to a run whose place another is about to take is told if that one comes to nothing.
      onState: (fault) => {
        if (this.#preparation) return;
        // First why, then what came of it.
        if (fault) send({ type: "error", ...fault });
        this.#tellState();
      },
      delayMs: () => this.#delayMs,
    });
  }

  async #load(runId: string): Promise<SavedRun> {
    const saved = await this.#host.store?.load(runId);
    if (!saved) throw new Error(`there is no saved run ${runId}`);
    return saved;
  }

  async #continue(runId: string, newId: string, isPaused?: boolean, backend?: RunConfig["backend"]): Promise<void> {
    const snapshot = unpackRun((await this.#load(runId)).bytes);
    const config = backend === undefined ? snapshot.config : { ...snapshot.config, backend };
    await this.#start(newId, { config, snapshot }, isPaused);
  }

  async #deleteSave(runId: string): Promise<void> {
    if (this.#current?.run.runId === runId) throw new Error(`the run ${runId} is open here: reset it to delete its save`);
    await this.#host.store?.remove(runId);
    await this.tellSaves();
  }

  async #readSave(runId: string): Promise<ModelFile> {
    return { name: `${runId}.rollout-lab`, bytes: (await this.#load(runId)).bytes };
  }

  async #pause(): Promise<void> {
    const preparation = this.#preparation;
    if (!preparation) return this.#current?.pause();
    preparation.isPaused = true;
    // Where it comes to nothing, the run before it stands still.
    const hasBegun = await preparation.begun.then(
      () => true,
      () => false,
    );
    if (hasBegun ? !preparation.isPaused : this.#preparation) throw new Overtaken("a later command let the run begin");
  }

  async #resume(): Promise<void> {
    const preparation = this.#preparation;
    if (!preparation) return this.#required().resume();
    preparation.isPaused = false;
    await preparation.begun;
    if (preparation.isPaused) throw new Overtaken("the run was paused before it began");
  }

  async #advance(unit: "step" | "phase"): Promise<void> {
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
      if (current && this.#host.store) {
        await this.#host.store.remove(current.run.runId);
        await this.tellSaves();
      }
    } finally {
      this.#tellState();
    }
  }

  async #exportModel(): Promise<readonly ModelFile[]> {
    const files = await this.#required().run.model.exportFiles();
    if (!files) throw new Error("this policy has no Hugging Face form: only a transformer can be exported");
    return files;
  }
}
