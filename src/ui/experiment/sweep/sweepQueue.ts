// The engines of a sweep: a worker for each run that goes on, as many at once as somebody chose or as fit, the others wait their turn.
// Every run is saved as it trains, so what a closed tab loses of it is the step in flight.
import type { CommandBody } from "../../../protocol/commands.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import type { SweepPlan } from "../../../protocol/run/sweepPlan.ts";
import { EngineClient } from "../../engine/client.ts";
import type { OpenLink } from "../../engine/openWorkers.ts";
import { raceThreads } from "../compare/setup/racePlan.ts";
import { runsOf, type SweepRun, setRunStatus, sweepVersion, useSweeps } from "./sweepStore.ts";

const DRAW_EVERY_MS = 400;

/** What the queue asks of the page around it. */
export interface SweepPage {
  readonly cores: number;
  /** The save of a run, where it has one. */
  saveOf(runId: string): SaveSummary | undefined;
  /** A run is kept for the first time since it began here. */
  onSaved(runId: string): void;
  /** A run has come to its end, or failed for this reason. */
  onEnded(runId: string, failure: string | null): void;
  /** No run is left that could train. */
  onOver(): void;
}

/** Trains the runs of one sweep; owns the workers. */
export class SweepQueue {
  readonly #sweep: string;
  /** Ids of the runs in the order in which they begin. */
  readonly #order: readonly string[];
  readonly #open: OpenLink;
  readonly #page: SweepPage;
  readonly #engines = new Map<string, EngineClient>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;

  constructor(sweep: string, plan: Pick<SweepPlan, "runs">, open: OpenLink, page: SweepPage) {
    this.#sweep = sweep;
    this.#order = plan.runs.map(({ runId }) => runId);
    this.#open = open;
    this.#page = page;
  }

  /** Starts runs that wait, in the plan's order, as far as there is room. */
  launch(): void {
    const { loaded, paused, atOnce, fitting } = useSweeps.getState();
    const found = loaded[this.#sweep];
    if (paused || this.#isClosed || !found) return;
    const runs = new Map(runsOf(found).map((run) => [run.id, run]));
    const waiting = this.#order.flatMap((id) => runs.get(id) ?? []).filter(({ status }) => status === "waiting");
    const most = atOnce ?? fitting ?? this.#page.cores;
    const { threads } = raceThreads(Math.min(most, waiting.length + this.#engines.size), this.#page.cores);
    for (const run of waiting) if (this.#engines.size < most) this.#start(run, threads);
    if (this.#engines.size === 0 && waiting.length === 0) this.#page.onOver();
  }

  pause(): void {
    for (const engine of this.#engines.values()) engine.send({ type: "pause" });
  }

  resume(): void {
    for (const engine of this.#engines.values()) engine.send({ type: "resume" });
    this.launch();
  }

  /** Ends every worker once what it recorded is stored; runs stay where they are. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all([...this.#engines].map(([id, engine]) => this.#endStored(id, engine)));
    sweepVersion.bump();
  }

  async #endStored(id: string, engine: EngineClient): Promise<void> {
    const run = this.#runOf(id);
    // A run that was being prepared is given up: nothing of it is there to be stored.
    await engine
      .request({ type: run?.view.facts.getState().state === "preparing" ? "stop" : "pause" })
      .then(() => engine.request({ type: "save" }))
      .catch(() => {});
    this.#engines.delete(id);
    engine.close();
    run?.view.groups.clear(null);
    const { state } = run?.view.facts.getState() ?? {};
    if (state !== "finished") run?.view.facts.setState({ state: "paused", stateReason: "kept", phase: null, preparing: null });
    setRunStatus(this.#sweep, id, state === "finished" ? "done" : "waiting");
  }

  #runOf(id: string): SweepRun | undefined {
    const found = useSweeps.getState().loaded[this.#sweep];
    return found && runsOf(found).find((run) => run.id === id);
  }

  #start(run: SweepRun, threads: number): void {
    const { id, view } = run;
    const engine = new EngineClient(view);
    const isHere = () => this.#engines.get(id) === engine;
    let isSaved = false;
    let isEnding = false;
    const look = () => {
      if (!isHere()) return;
      const { status, message } = engine.facts.getState();
      const { error, state, stateReason, savedStep } = view.facts.getState();
      if (savedStep !== null && !isSaved) {
        isSaved = true;
        this.#page.onSaved(id);
      }
      if (status === "died") this.#end(id, `its worker ended: ${message}`);
      else if (state === "failed") this.#end(id, stateReason ?? error ?? "for an unknown reason");
      else if (error !== null) this.#end(id, error);
      else if (state === "finished") {
        if (isEnding) return;
        isEnding = true;
        // On a slow disk the last steps are on their way still.
        const stored = engine.request({ type: "save" }).catch(() => {});
        void stored.then(() => isHere() && this.#end(id, null));
      } else this.#draw();
    };
    this.#engines.set(id, engine);
    setRunStatus(this.#sweep, id, "running");
    view.facts.setState({ state: "preparing", stateReason: null, error: null });
    view.facts.subscribe(look);
    engine.facts.subscribe(look);
    engine.connect(this.#open);
    engine.send(this.#beginning(run, threads));
  }

  /** Goes on where the run has a save, else begins it. */
  #beginning({ id, input }: SweepRun, threads: number): CommandBody {
    const save = this.#page.saveOf(id);
    if (save?.config) return { type: "continue", runId: id };
    return { type: "start", runId: id, config: { ...input, threads, autosaveEvery: Math.max(1, input.autosaveEvery ?? 1) } };
  }

  #end(id: string, failure: string | null): void {
    const engine = this.#engines.get(id);
    const view = this.#runOf(id)?.view;
    this.#engines.delete(id);
    engine?.close();
    // What it sampled is in its save, from where it is opened.
    view?.groups.clear(null);
    const state = failure === null ? "finished" : "failed";
    view?.facts.setState({ state, stateReason: failure, phase: null, preparing: null });
    setRunStatus(this.#sweep, id, "done");
    this.#page.onEnded(id, failure);
    this.#draw();
  }

  /** Draws the runs soon, and gives the room that is free to those that wait. */
  #draw(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      sweepVersion.bump();
      this.launch();
    }, DRAW_EVERY_MS);
  }
}
