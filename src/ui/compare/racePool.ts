// The racers' engines: one worker each, as many at once as there are cores, the others wait their turn.
// A racer that ends gives its worker up at once; what it reported stays.
import type { RunConfigInput } from "../../protocol/config.ts";
import type { EngineEvent } from "../../protocol/messages.ts";
import type { EngineLink, OpenLink } from "../client.ts";
import { metricSeries } from "../store/metricSeries.ts";
import { isStale, reduceRun, useRun } from "../store/runStore.ts";
import { raceThreads } from "./racePlan.ts";
import { changeRacer, type Racer, racerSeries, raceVersion, recordsAfter, useRace } from "./raceStore.ts";

const FLUSH_EVERY_MS = 250;

/** Runs races; owns the workers. */
export class RacePool {
  readonly #open: OpenLink;
  readonly #cores: number;
  readonly #links = new Map<string, EngineLink>();
  readonly #queued = new Map<string, EngineEvent[]>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #race = 0;
  #stopFollowing: (() => void) | null = null;

  constructor(open: OpenLink, cores: number) {
    this.#open = open;
    this.#cores = cores;
  }

  /** Starts the racers that wait, as far as there are cores. */
  launch(): void {
    const { racers, paused } = useRace.getState();
    this.#followScreen(racers);
    if (paused) return;
    const own = racers.filter(({ isScreen }) => !isScreen);
    const { slots, threads } = raceThreads(own.length, this.#cores);
    for (const racer of own) if (racer.status === "waiting" && this.#links.size < slots) this.#start(racer, threads);
  }

  pause(): void {
    useRace.setState({ paused: true });
    for (const link of this.#links.values()) link.post({ id: 0, type: "pause" });
  }

  resume(): void {
    useRace.setState({ paused: false });
    for (const link of this.#links.values()) link.post({ id: 0, type: "resume" });
    this.launch();
  }

  /** Ends every worker; racers that had not finished are stopped where they are. */
  stop(): void {
    this.flush();
    for (const { id, status, isScreen } of useRace.getState().racers)
      if (status !== "done" && !isScreen) this.#leave(id, "finished", "stopped");
    useRace.setState({ paused: false });
  }

  /** Ends everything, the following of the run on screen included. */
  close(): void {
    this.stop();
    this.#stopFollowing?.();
    this.#stopFollowing = null;
    this.#queued.clear();
  }

  /** Hands what has arrived to the store. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const queued = [...this.#queued];
    this.#queued.clear();
    for (const [id, events] of queued) this.#apply(id, events);
    if (queued.length > 0) raceVersion.bump();
    this.launch();
  }

  #start(racer: Racer, threads: number): void {
    const runId = `race-${++this.#race}-${racer.id}`;
    const config: RunConfigInput = { ...racer.input, threads, autosaveEvery: 0 };
    changeRacer(racer.id, { status: "running", run: { ...racer.run, state: "preparing" } });
    const link = this.#open({
      onEvents: (events) => {
        if (this.#links.get(racer.id) !== link) return;
        if (events.some(({ type }) => type === "ready")) link.post({ id: 0, type: "start", runId, config });
        this.#queued.set(racer.id, [...(this.#queued.get(racer.id) ?? []), ...events]);
        this.#timer ??= setTimeout(() => this.flush(), FLUSH_EVERY_MS);
      },
      onFailure: (reason) => {
        if (this.#links.get(racer.id) === link) this.#leave(racer.id, "failed", `its worker ended: ${reason}`);
      },
    });
    this.#links.set(racer.id, link);
  }

  #apply(id: string, events: readonly EngineEvent[]): void {
    const racer = useRace.getState().racers.find((each) => each.id === id);
    if (racer?.status !== "running") return;
    const { config } = racer;
    let { run } = racer;
    let failure: string | null = null;
    for (const event of events) {
      if (event.type === "state" && event.state === "idle") continue;
      if (event.type === "steps" && !isStale(run, event)) racerSeries(id).append(event.records);
      if (event.type === "error" || (event.type === "answer" && event.outcome === "failed" && !event.overtaken)) failure ??= event.message;
      run = reduceRun(run, event);
    }
    changeRacer(id, { run: { ...run, config: run.config ?? config } });
    if (failure !== null) this.#leave(id, "failed", failure);
    else if (run.state === "finished" || run.state === "failed") this.#leave(id, run.state, run.stateReason);
  }

  #leave(id: string, state: "finished" | "failed", reason: string | null): void {
    this.#links.get(id)?.close();
    this.#links.delete(id);
    const racer = useRace.getState().racers.find((each) => each.id === id);
    if (racer) changeRacer(id, { status: "done", run: { ...racer.run, state, stateReason: reason, phase: null, preparing: null } });
    this.#timer ??= setTimeout(() => this.flush(), 0);
  }

  /** Copies the run on screen into its racer for as long as it is the same run. */
  #followScreen(racers: readonly Racer[]): void {
    const screen = racers.find(({ isScreen }) => isScreen);
    if (!screen || this.#stopFollowing) return;
    const { runId } = useRun.getState();
    const copy = () => {
      const facts = useRun.getState();
      if (facts.runId !== runId) return;
      const series = racerSeries(screen.id);
      series.append(recordsAfter(metricSeries, series.lastStep));
      changeRacer(screen.id, { status: "running", run: facts });
      raceVersion.bump();
    };
    copy();
    const stops = [metricSeries.subscribe(copy), useRun.subscribe(copy)];
    this.#stopFollowing = () => {
      for (const stop of stops) stop();
    };
  }
}
