// One engine as a page has it. What is asked of it is answered or rejected. Events arrive in batches
// and are kept until the screen can use them (at most four store updates a second while training), and a worker that
// dies or goes silent is a fact the page shows and can mend from the last autosave.
import { createStore } from "zustand/vanilla";
import type { Command, CommandBody, CommandType } from "../../protocol/commands.ts";
import type { Done, EngineEvent, EventOf, Result } from "../../protocol/messages.ts";
import { Refused } from "../../protocol/problems.ts";
import { EventQueue } from "./eventQueue.ts";
import { type EngineLink, type OpenLink, openTrainerWorker } from "./openWorkers.ts";
import { LOOKS, sendingProblem } from "./sendable.ts";
import { codeAllowed } from "./sourcesRead.ts";
import { type EngineFacts, NO_ENGINE, savesAfter } from "./store/engineFacts.ts";
import { createRunView, type RunView } from "./store/runView.ts";

const FLUSH_EVERY_MS = 250;
/** Events that have waited this long are handed on by the next message: a hidden page's timers may rest for a minute. */
const OVERDUE_MS = 1_000;
const QUIET_AFTER_MS = 20_000;
const WATCH_EVERY_MS = 2_000;
/** Events that may wait for the next regular update; a fast policy is evaluated a hundred times a second. */
const PATIENT: ReadonlySet<EngineEvent["type"]> = new Set(["phase", "steps", "groups", "preparing", "saved", "evaluation", "baseline"]);

interface Asked {
  readonly type: CommandType;
  readonly resolve: (result: Done["result"]) => void;
  readonly reject: (error: Error) => void;
}

/** One engine and the view of its run; owned state. */
export class EngineClient {
  readonly facts = createStore<EngineFacts>()(() => NO_ENGINE);
  readonly view: RunView;
  #open: OpenLink = openTrainerWorker;
  #link: EngineLink | null = null;
  readonly #queue = new EventQueue();
  /** When the oldest event of the queue came. */
  #waitingSince = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #watching: ReturnType<typeof setInterval> | null = null;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #heardAt = 0;
  #delayMs = 0;
  #lastId = -1;
  /** What was asked and is not answered yet, by the id of its command. */
  readonly #asked = new Map<number | null, Asked>();
  /** Run to go on with once a new engine is up. */
  #continueRun: string | null = null;
  /** A second engine that is only asked what is saved, while the first is dead. */
  #finder: EngineLink | null = null;
  readonly #listeners = new Set<(event: EngineEvent) => void>();

  constructor(view: RunView) {
    this.view = view;
  }

  /** Opens the link and begins to watch it; once. */
  connect(open: OpenLink): void {
    this.#open = open;
    this.#watching = setInterval(() => this.#watch(), WATCH_EVERY_MS);
    this.#start();
  }

  /** Ends the worker for good; the view keeps what it was told. */
  close(): void {
    if (this.#watching !== null) clearInterval(this.#watching);
    this.#endFinder();
    this.#close("it was closed");
  }

  /**
   * Sends a command and resolves with its result once it is done and the stores know what it did. Rejects
   * with the engine's sentence when it is not, or when the engine ends before.
   */
  request<C extends CommandBody>(body: C): Promise<Result<C["type"]>>;
  request(body: CommandBody): Promise<Result<CommandType>> {
    return new Promise((resolve, reject) => {
      if (!this.#link) throw new Error("the engine is not running: restart it first");
      if (body.type === "pace") this.#delayMs = body.delayMs;
      this.#heardAt = performance.now();
      for (const each of [...codeAllowed(body), body]) this.#post({ ...each, id: ++this.#lastId } as Command);
      this.#asked.set(this.#lastId, { type: body.type, resolve, reject });
    });
  }

  /** Whether the answer to such a command is still to come. */
  awaits(type: CommandType): boolean {
    return [...this.#asked.values()].some((asked) => asked.type === type);
  }

  /** Sends a command whose effect is all that counts; a refusal is among the run's facts, where the page shows it. */
  send(body: CommandBody): void {
    this.request(body).catch(() => {});
  }

  /** Every event as it arrives, before stores see it. Returns a function that ends it. */
  listen(listener: (event: EngineEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with something of the engine's facts, once it is there. */
  told<T>(read: (facts: EngineFacts) => T | null): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = read(this.facts.getState());
        if (found === null) return;
        stop();
        resolve(found);
      };
      const stop = this.facts.subscribe(look);
      look();
    });
  }

  /** Resolves when the engine is up; rejects when it cannot be. */
  async untilUp(): Promise<void> {
    const { status, message } = await this.told((facts) => (facts.status === "starting" ? null : facts));
    if (status === "unsupported" || status === "died") throw new Error(message ?? `the engine is ${status}`);
  }

  /** Ends the worker as a crash would. */
  kill(reason = "it was ended on request"): void {
    this.#fail(reason);
  }

  /** Asks a worker of its own what is saved, after the engine has died; the answer is among the facts. */
  findSaves(): void {
    this.#endFinder();
    this.facts.setState({ saves: null });
    this.#finder = this.#open({
      onEvents: (events) => {
        for (const event of events) {
          if (event.type === "storage") this.facts.setState({ storageProblem: event.reason });
          if (event.type !== "saves") continue;
          this.facts.setState({ saves: event.runs });
          this.#endFinder();
        }
      },
      // Whoever waits for the saves sees that they stay unknown; a restart meets the same reason and tells it.
      onFailure: () => this.#endFinder(),
    });
  }

  /** A fresh engine that goes on with the run from its save; without one, an empty page. */
  restart(): void {
    const { runId } = this.view.facts.getState();
    const { saves } = this.facts.getState();
    this.#endFinder();
    this.#close("it was started anew");
    const isSaved = saves === null || saves.some((save) => save.runId === runId && save.config);
    this.#continueRun = isSaved ? runId : null;
    this.facts.setState({ status: "starting", message: null, saves: null });
    if (this.#continueRun === null) this.#forgetRun();
    else this.view.facts.setState({ state: "preparing" });
    this.view.facts.setState({ error: null });
    this.#start();
  }

  /** Hands everything that waits to the stores now. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushedAt = performance.now();
    const events = this.#queue.take();
    for (const event of events) {
      if (event.type === "ready") this.facts.setState({ status: "ready", message: null, catalog: event.catalog });
      if (event.type === "saves" || event.type === "saved")
        this.facts.setState(({ saves }) => ({ saves: savesAfter(saves, event, Date.now()) }));
      if (event.type === "storage") this.facts.setState({ storageProblem: event.reason });
    }
    if (events.length > 0) this.view.apply(events);
  }

  #start(): void {
    this.#heardAt = performance.now();
    this.#link = this.#open({ onEvents: (events) => this.#receive(events), onFailure: (reason) => this.#fail(reason) });
    if (this.#delayMs > 0) this.send({ type: "pace", delayMs: this.#delayMs });
  }

  #endFinder(): void {
    this.#finder?.close();
    this.#finder = null;
  }

  #close(reason: string): void {
    this.#link?.close();
    this.#link = null;
    this.flush();
    for (const { reject } of this.#asked.values()) reject(new Error(`the engine stopped: ${reason}`));
    this.#asked.clear();
  }

  #fail(reason: string): void {
    if (!this.#link) return;
    this.#close(reason);
    const { state } = this.view.facts.getState();
    const isBroken = state === "running" || state === "preparing";
    this.facts.setState({ status: "died", message: reason });
    this.view.facts.setState({ phase: null, preparing: null, ...(isBroken ? { state: "failed" } : {}) });
  }

  #receive(events: readonly EngineEvent[]): void {
    const now = performance.now();
    this.#heardAt = now;
    if (this.#queue.isEmpty) this.#waitingSince = now;
    let urgent = false;
    for (const event of events) {
      if (!this.#isAskersAlone(event)) this.#queue.add(event);
      urgent ||= !PATIENT.has(event.type) || this.#delayMs > 0;
    }
    this.#schedule(urgent ? 0 : Math.max(0, this.#flushedAt + FLUSH_EVERY_MS - now), urgent);
    for (const event of events) {
      for (const listener of this.#listeners) listener(event);
      if (event.type === "saves") this.#goOn(event.runs);
      if (event.type === "answer") this.#settle(event);
    }
    if (!this.#queue.isEmpty && now - this.#waitingSince > OVERDUE_MS) this.flush();
    if (this.facts.getState().status === "quiet") this.facts.setState({ status: "ready" });
  }

  #post(command: Command): void {
    try {
      this.#link?.post(command);
    } catch (error) {
      throw new Error(sendingProblem(command) ?? String(error), { cause: error });
    }
  }

  #isAskersAlone(event: EngineEvent): boolean {
    const asked = event.type === "answer" && event.outcome === "failed" ? this.#asked.get(event.id) : undefined;
    return asked !== undefined && LOOKS.has(asked.type);
  }

  #settle(answer: EventOf<"answer">): void {
    const asked = this.#asked.get(answer.id);
    if (!asked) return;
    this.#asked.delete(answer.id);
    this.flush();
    if (answer.outcome === "done") asked.resolve(answer.result);
    else asked.reject(new Refused(answer.message, answer));
  }

  #schedule(waitMs: number, urgent: boolean): void {
    if (this.#timer !== null && !urgent) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // In a task of its own, not in a frame: what follows is drawn and painted in later ones.
    this.#timer = setTimeout(() => this.flush(), waitMs);
  }

  /** Continues the run that a restart was for, if it has a save. */
  #goOn(saves: EventOf<"saves">["runs"]): void {
    const runId = this.#continueRun;
    this.#continueRun = null;
    if (!runId) return;
    if (saves.some((save) => save.runId === runId && save.config)) this.request({ type: "continue", runId }).catch(() => this.#forgetRun());
    else this.#forgetRun();
  }

  #forgetRun(): void {
    this.view.apply([{ type: "state", runId: null, state: "idle" }]);
  }

  #watch(): void {
    const { status } = this.facts.getState();
    const { state } = this.view.facts.getState();
    const isBusy = state === "running" || state === "preparing" || status === "starting";
    if (!isBusy) this.#heardAt = performance.now();
    if (status !== "died" && isBusy && performance.now() - this.#heardAt > QUIET_AFTER_MS) this.facts.setState({ status: "quiet" });
  }
}

/** Whether this browser can run an engine at all. */
export function canRun(): boolean {
  return typeof Worker !== "undefined" && typeof WebAssembly !== "undefined";
}

/** The page's engine, and the run on screen. */
export const engine = new EngineClient(createRunView());
