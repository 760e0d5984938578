// The engines of an experiment: a worker for each run that goes on, as many at once as somebody chose or as fit, the others wait their
// turn. Every run is saved as it trains, so what a closed tab loses of it is the step in flight.
import type { CommandBody } from "../../../protocol/commands.ts";
import { errorText } from "../../../protocol/problems.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { untilRun } from "../../engine/besideRun.ts";
import { EngineClient } from "../../engine/client.ts";
import type { OpenLink } from "../../engine/openWorkers.ts";
import { type ExperimentRun, experimentVersion, loadedRuns, setRunStatus, useExperiments } from "./experiments.ts";

const DRAW_EVERY_MS = 250;
/** Steps of a finished run whose rollouts are kept beside its newest. */
const STEPS_OF_ENDED = 8;

/** How many runs go on at once, and threads for each: one where there are as many runs as cores. */
export function runThreads(runs: number, cores: number): { readonly atOnce: number; readonly threads: number } {
  return { atOnce: Math.max(1, Math.min(runs, cores)), threads: runs >= cores ? 1 : Math.max(1, Math.floor(cores / runs)) };
}

/** What the pool asks of the page around it. */
export interface PoolPage {
  readonly cores: number;
  /** Whether rollouts of runs that are over stay in the page. */
  readonly keepsRollouts: boolean;
  /** Ids of the runs in the order in which they begin. */
  order(): readonly string[];
  /** The save of a run, where it has one. */
  saveOf(runId: string): SaveSummary | undefined;
  /** A run is kept for the first time since it began here. */
  onSaved(runId: string): void;
  /** A run has come to its end, or failed for this reason. */
  onEnded(runId: string, failure: string | null): void;
  /** No run is left that could train. */
  onOver(): void;
}

/** Trains the runs of one experiment; owns the workers. */
export class EnginePool {
  readonly #experiment: string;
  readonly #open: OpenLink;
  readonly #page: PoolPage;
  readonly #engines = new Map<string, EngineClient>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isClosed = false;

  constructor(experiment: string, open: OpenLink, page: PoolPage) {
    this.#experiment = experiment;
    this.#open = open;
    this.#page = page;
  }

  /** Starts runs that wait, in the plan's order, as far as there is room. */
  launch(): void {
    const { paused, atOnce, fitting } = useExperiments.getState();
    if (paused || this.#isClosed) return;
    const runs = new Map(loadedRuns(this.#experiment).map((run) => [run.id, run]));
    const waiting = this.#page
      .order()
      .flatMap((id) => runs.get(id) ?? [])
      .filter(({ status, isElsewhere }) => status === "waiting" && !isElsewhere);
    const most = atOnce ?? fitting ?? this.#page.cores;
    const { threads } = runThreads(Math.min(most, waiting.length + this.#engines.size), this.#page.cores);
    for (const run of waiting) if (this.#engines.size < most) void this.#train(run, threads);
    if (this.#engines.size === 0 && waiting.length === 0) this.#page.onOver();
  }

  pause(): void {
    for (const engine of this.#engines.values()) engine.send({ type: "pause" });
  }

  resume(): void {
    for (const engine of this.#engines.values()) engine.send({ type: "resume" });
    this.launch();
  }

  /** Asks for a step's rollouts while the run's worker is up; rejects with why they do not come. */
  async inspect(id: string, step: number): Promise<void> {
    const engine = this.#engines.get(id);
    if (!engine) throw new Error("the run has ended, and these rollouts were not kept");
    await engine.request({ type: "inspect", step });
  }

  /** Ends every worker once what it recorded is stored; runs stay where they are. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all([...this.#engines].map(([id, engine]) => this.#endStored(id, engine)));
    experimentVersion.bump();
  }

  async #endStored(id: string, engine: EngineClient): Promise<void> {
    const { facts } = engine.view;
    // A run that was being prepared is given up: nothing of it is there to be stored.
    await engine
      .request({ type: facts.getState().state === "preparing" ? "stop" : "pause" })
      .then(() => engine.request({ type: "save" }))
      .catch(() => {});
    this.#let(id, engine);
    const isDone = facts.getState().state === "finished";
    if (!isDone) facts.setState({ state: "paused", stateReason: "kept", phase: null, preparing: null });
    setRunStatus(this.#experiment, id, isDone ? "done" : "waiting");
  }

  /** Lets a worker go; what its run sampled is in its save, from where it is opened. */
  #let(id: string, engine: EngineClient): void {
    this.#engines.delete(id);
    engine.close();
    if (!this.#page.keepsRollouts) engine.view.groups.clear(null);
  }

  async #train(run: ExperimentRun, threads: number): Promise<void> {
    const { id, view } = run;
    const engine = new EngineClient(view);
    this.#engines.set(id, engine);
    setRunStatus(this.#experiment, id, "running");
    view.facts.setState({ state: "preparing", stateReason: null, error: null, savedStep: null });
    let isSaved = false;
    const stop = view.facts.subscribe(({ savedStep }) => {
      if (savedStep !== null && !isSaved) this.#page.onSaved(id);
      isSaved ||= savedStep !== null;
      this.#draw();
    });
    engine.connect(this.#open);
    engine.send(this.#beginning(run, threads));
    const failure = await untilRun(engine, ({ state }) => state === "finished").then(() => null, errorText);
    if (failure === null && this.#page.keepsRollouts) await this.#fetchRollouts(engine);
    // On a slow disk the last steps are on their way still.
    if (failure === null) await engine.request({ type: "save" }).catch(() => {});
    stop();
    if (this.#engines.get(id) === engine) this.#end(id, engine, failure);
  }

  /** Goes on where the run has a save, else begins it. */
  #beginning({ id, config }: ExperimentRun, threads: number): CommandBody {
    if (this.#page.saveOf(id)?.config) return { type: "continue", runId: id };
    return { type: "start", runId: id, config: { ...config, threads, autosaveEvery: Math.max(1, config.autosaveEvery) } };
  }

  /** All groups of a few steps, evenly spread over those that the engine keeps; what does not come is not there to be opened. */
  async #fetchRollouts(engine: EngineClient): Promise<void> {
    const { latestStep, oldestStep } = engine.view.groups;
    if (latestStep === null) return;
    const count = Math.min(STEPS_OF_ENDED, latestStep - oldestStep + 1);
    const spread = (i: number) => Math.round(count === 1 ? latestStep : oldestStep + (i * (latestStep - oldestStep)) / (count - 1));
    const asked = Array.from({ length: count }, (_, i) => engine.request({ type: "inspect", step: spread(i) }));
    await Promise.allSettled(asked);
  }

  #end(id: string, engine: EngineClient, failure: string | null): void {
    this.#let(id, engine);
    engine.view.facts.setState({ state: failure === null ? "finished" : "failed", stateReason: failure, phase: null, preparing: null });
    setRunStatus(this.#experiment, id, "done");
    this.#page.onEnded(id, failure);
    this.#draw();
  }

  /** Draws the runs soon, and gives the room that is free to those that wait. */
  #draw(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      experimentVersion.bump();
      this.launch();
    }, DRAW_EVERY_MS);
  }
}
