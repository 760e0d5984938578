// The engines of a race: one worker for each run, as many at once as there are cores, the others wait their
// turn. A run that ends gives its worker up as soon as some of its steps' rollouts are here; what it
// reported stays.
import type { RunConfigInput } from "../../../protocol/config.ts";
import { EngineClient } from "../../engine/client.ts";
import type { OpenLink } from "../../engine/openWorkers.ts";
import type { RunView } from "../../engine/store/runView.ts";
import { type RacerRun, raceVersion, runsInTurn, setStatus, useRace } from "./raceStore.ts";
import { raceThreads } from "./setup/racePlan.ts";

const DRAW_EVERY_MS = 250;
/** Steps of a finished run whose rollouts are kept beside its newest. */
const STEPS_OF_ENDED = 8;

/** Runs races; owns the workers. */
export class RacePool {
  readonly #open: OpenLink;
  readonly #cores: number;
  readonly #screen: RunView;
  readonly #engines = new Map<string, EngineClient>();
  /** Runs that are asked for rollouts: a refusal is an error of theirs, but ends nothing. */
  readonly #asked = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #race = 0;
  #stopFollowing: (() => void) | null = null;

  /** `screen` is the run that a fork branches from. */
  constructor(open: OpenLink, cores: number, screen: RunView) {
    this.#open = open;
    this.#cores = cores;
    this.#screen = screen;
  }

  /** Starts the runs that wait, as far as there are cores. */
  launch(): void {
    const { racers, paused } = useRace.getState();
    const runs = runsInTurn(racers);
    this.#followScreen(runs);
    if (paused) return;
    const own = runs.filter(({ isScreen }) => !isScreen);
    const { racing, threads } = raceThreads(own.length, this.#cores);
    for (const run of own) if (run.status === "waiting" && this.#engines.size < racing) this.#start(run, threads);
  }

  pause(): void {
    useRace.setState({ paused: true });
    for (const engine of this.#engines.values()) engine.send({ type: "pause" });
  }

  resume(): void {
    useRace.setState({ paused: false });
    for (const engine of this.#engines.values()) engine.send({ type: "resume" });
    this.launch();
  }

  /** Ends every worker; runs that had not finished are stopped where they are. */
  stop(): void {
    for (const engine of this.#engines.values()) engine.flush();
    for (const run of runsInTurn(useRace.getState().racers)) {
      if (run.status !== "done" && !run.isScreen) this.#end(run, "finished", "stopped");
    }
    useRace.setState({ paused: false });
  }

  /** Asks for a step's rollouts while the run's worker is up; rejects with why they do not come. */
  async inspect(id: string, step: number): Promise<void> {
    const engine = this.#engines.get(id);
    if (!engine) throw new Error("the run has ended, and these rollouts were not kept");
    this.#asked.add(id);
    try {
      await engine.request({ type: "inspect", step });
    } finally {
      engine.view.facts.setState({ error: null });
      this.#asked.delete(id);
    }
  }

  /** Ends everything, the following of the run on screen included. */
  close(): void {
    this.stop();
    this.#stopFollowing?.();
    this.#stopFollowing = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #start(run: RacerRun, threads: number): void {
    const { id, view } = run;
    const engine = new EngineClient(view);
    const isHere = () => this.#engines.get(id) === engine;
    let isEnding = false;
    const look = () => {
      if (!isHere() || isEnding) return;
      const { status, message } = engine.facts.getState();
      const { error, state, stateReason } = view.facts.getState();
      if (status === "died") this.#end(run, "failed", `its worker ended: ${message}`);
      else if (error !== null && !this.#asked.has(id)) this.#end(run, "failed", error);
      else if (state === "failed") this.#end(run, state, stateReason);
      else if (state === "finished") {
        isEnding = true;
        void this.#fetchRollouts(engine, view).then(() => isHere() && this.#end(run, state, stateReason));
      } else this.#draw(DRAW_EVERY_MS);
    };
    this.#engines.set(id, engine);
    setStatus(id, "running");
    view.facts.setState({ state: "preparing" });
    view.facts.subscribe(look);
    engine.facts.subscribe(look);
    engine.connect(this.#open);
    const config: RunConfigInput = { ...run.input, threads, autosaveEvery: 0 };
    engine.send({ type: "start", runId: `race-${++this.#race}-${id}`, config });
  }

  /** All groups of a few steps, evenly spread over those that are kept; what does not come is not there to be opened. */
  async #fetchRollouts(engine: EngineClient, { groups }: RunView): Promise<void> {
    const { latestStep, oldestStep } = groups;
    if (latestStep === null) return;
    const count = Math.min(STEPS_OF_ENDED, latestStep - oldestStep + 1);
    const spread = (i: number) => Math.round(count === 1 ? latestStep : oldestStep + (i * (latestStep - oldestStep)) / (count - 1));
    const asked = Array.from({ length: count }, (_, i) => engine.request({ type: "inspect", step: spread(i) }));
    await Promise.allSettled(asked);
  }

  #end({ id, view }: RacerRun, state: "finished" | "failed", reason: string | null): void {
    const engine = this.#engines.get(id);
    this.#engines.delete(id);
    engine?.close();
    view.facts.setState({ state, stateReason: reason, phase: null, preparing: null });
    setStatus(id, "done");
    this.#draw(0);
  }

  /** Draws the racers soon, and gives the cores that are free to those that wait. */
  #draw(waitMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      raceVersion.bump();
      this.launch();
    }, waitMs);
  }

  /** Copies the run on screen into its racer for as long as it is the same run. */
  #followScreen(runs: readonly RacerRun[]): void {
    const trunk = runs.find(({ isScreen }) => isScreen);
    if (!trunk || this.#stopFollowing) return;
    const { facts, metrics } = this.#screen;
    const { runId } = facts.getState();
    const copy = () => {
      if (facts.getState().runId !== runId) return;
      trunk.view.metrics.append(metrics.records(trunk.view.metrics.lastStep));
      trunk.view.facts.setState(facts.getState(), true);
      this.#draw(DRAW_EVERY_MS);
    };
    copy();
    setStatus(trunk.id, "running");
    const stops = [metrics.subscribe(copy), facts.subscribe(copy)];
    this.#stopFollowing = () => {
      for (const stop of stops) stop();
    };
  }
}
