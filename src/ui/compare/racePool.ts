// The racers' engines: one worker each, as many at once as there are cores, the others wait their turn.
// A racer that ends gives its worker up at once; what it reported stays.
import type { RunConfigInput } from "../../protocol/config.ts";
import { EngineClient, type OpenLink } from "../client.ts";
import type { RunView } from "../store/runView.ts";
import { raceThreads } from "./racePlan.ts";
import { type Racer, raceVersion, setStatus, useRace } from "./raceStore.ts";

const DRAW_EVERY_MS = 250;

/** Runs races; owns the workers. */
export class RacePool {
  readonly #open: OpenLink;
  readonly #cores: number;
  readonly #screen: RunView;
  readonly #engines = new Map<string, EngineClient>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #race = 0;
  #stopFollowing: (() => void) | null = null;

  /** `screen` is the run that a fork branches from. */
  constructor(open: OpenLink, cores: number, screen: RunView) {
    this.#open = open;
    this.#cores = cores;
    this.#screen = screen;
  }

  /** Starts the racers that wait, as far as there are cores. */
  launch(): void {
    const { racers, paused } = useRace.getState();
    this.#followScreen(racers);
    if (paused) return;
    const own = racers.filter(({ isScreen }) => !isScreen);
    const { slots, threads } = raceThreads(own.length, this.#cores);
    for (const racer of own) if (racer.status === "waiting" && this.#engines.size < slots) this.#start(racer, threads);
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

  /** Ends every worker; racers that had not finished are stopped where they are. */
  stop(): void {
    for (const engine of this.#engines.values()) engine.flush();
    for (const racer of useRace.getState().racers) if (racer.status !== "done" && !racer.isScreen) this.#end(racer, "finished", "stopped");
    useRace.setState({ paused: false });
  }

  /** Ends everything, the following of the run on screen included. */
  close(): void {
    this.stop();
    this.#stopFollowing?.();
    this.#stopFollowing = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #start(racer: Racer, threads: number): void {
    const { id, view } = racer;
    const engine = new EngineClient(view);
    const isHere = () => this.#engines.get(id) === engine;
    const look = () => {
      if (!isHere()) return;
      const { status, message } = engine.facts.getState();
      const { error, state, stateReason } = view.facts.getState();
      if (status === "died") this.#end(racer, "failed", `its worker ended: ${message}`);
      else if (error !== null) this.#end(racer, "failed", error);
      else if (state === "finished" || state === "failed") this.#end(racer, state, stateReason);
      else this.#draw(DRAW_EVERY_MS);
    };
    this.#engines.set(id, engine);
    setStatus(id, "running");
    view.facts.setState({ state: "preparing" });
    view.facts.subscribe(look);
    engine.facts.subscribe(look);
    engine.connect(this.#open);
    const config: RunConfigInput = { ...racer.input, threads, autosaveEvery: 0 };
    engine.send({ type: "start", runId: `race-${++this.#race}-${id}`, config });
  }

  #end({ id, view }: Racer, state: "finished" | "failed", reason: string | null): void {
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
  #followScreen(racers: readonly Racer[]): void {
    const racer = racers.find(({ isScreen }) => isScreen);
    if (!racer || this.#stopFollowing) return;
    const { facts, metrics } = this.#screen;
    const { runId } = facts.getState();
    const copy = () => {
      if (facts.getState().runId !== runId) return;
      racer.view.metrics.append(metrics.records(racer.view.metrics.lastStep));
      racer.view.facts.setState(facts.getState(), true);
      this.#draw(DRAW_EVERY_MS);
    };
    copy();
    setStatus(racer.id, "running");
    const stops = [metrics.subscribe(copy), facts.subscribe(copy)];
    this.#stopFollowing = () => {
      for (const stop of stops) stop();
    };
  }
}
