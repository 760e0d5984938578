// One older step of the run on screen, taken again by an engine of its own while the run stays as it is: from the run's start, under the
// same settings, changes and seed, which give the same step, to the bit where the same backend computes. What it knows then is
// what the run's own engine has let go of: the step's rollouts, and its weights before and after the update.

import { createStore } from "zustand/vanilla";
import { errorText } from "../../../protocol/problems.ts";
import { isTimedMetric } from "../../../protocol/records.ts";
import { takeSteps } from "../../engine/besideRun.ts";
import { EngineClient, engine } from "../../engine/client.ts";
import { type OpenLink, openTrainerWorker } from "../../engine/openWorkers.ts";
import { createRunView } from "../../engine/store/runView.ts";

/** Where the repetition stands; null where none was asked for. */
export interface Repetition {
  readonly step: number;
  /** Steps that are behind it. */
  readonly reached: number;
  /** What the engine is at before its first step. */
  readonly preparing: string | null;
  readonly stage: "under way" | "there" | "failed";
  /** Why it came to nothing. */
  readonly problem: string | null;
  /** Whether it came out as recorded, as far as that is known. */
  readonly isSame: boolean;
}

export interface RepeaterFacts {
  readonly at: Repetition | null;
}

/** Repeats steps of one engine's run, one at a time; owned state. */
export class StepRepeater {
  readonly facts = createStore<RepeaterFacts>()(() => ({ at: null }));
  readonly #screen: EngineClient;
  readonly #open: OpenLink;
  #copy: EngineClient | null = null;

  constructor(screen: EngineClient, open: OpenLink) {
    this.#screen = screen;
    this.#open = open;
    // With the run its repetition goes.
    screen.view.facts.subscribe(({ runId }, before) => runId !== before.runId && this.giveUp());
  }

  /** The engine that knows most of a step. */
  engineOf(step: number): EngineClient {
    const { at } = this.facts.getState();
    return at?.step === step && at.stage === "there" && this.#copy ? this.#copy : this.#screen;
  }

  /** Takes a step again; settles once it is there, or will not come. */
  async take(step: number): Promise<void> {
    this.giveUp();
    const { config } = this.#screen.view.facts.getState();
    if (!config) return;
    const copy = new EngineClient(createRunView());
    this.#copy = copy;
    const tell = (change: Partial<Repetition>) => this.#copy === copy && this.#tell(change);
    this.facts.setState({ at: { step, reached: 0, preparing: null, stage: "under way", problem: null, isSame: true } });
    copy.view.facts.subscribe((facts) => tell({ reached: facts.step, preparing: facts.preparing?.what ?? null }));
    copy.connect(this.#open);
    try {
      const { backend, recording } = this.#screen.view.facts.getState();
      const ran = config.model === "transformer" && backend && !recording ? { backend: backend.id as typeof config.backend } : {};
      const repeated = { ...config, ...ran, evalEvery: 0, autosaveEvery: 0, measureUpdate: true };
      const [groups] = await takeSteps(copy, { runId: "repeated", config: repeated, inspect: [step], until: step });
      if (this.#copy !== copy || !groups) return;
      this.#screen.view.groups.addRepeated(groups);
      tell({ stage: "there", isSame: this.#isSame(copy, step) });
    } catch (error) {
      tell({ stage: "failed", problem: errorText(error) });
      if (this.#copy === copy) this.#close();
    }
  }

  /** Ends the repetition and forgets what it knew. */
  giveUp(): void {
    this.#close();
    this.facts.setState({ at: null });
  }

  #close(): void {
    this.#copy?.close();
    this.#copy = null;
  }

  #tell(change: Partial<Repetition>): void {
    this.facts.setState(({ at }) => ({ at: at && { ...at, ...change } }));
  }

  /** What both measured of the step is compared; its times are its own. */
  #isSame(copy: EngineClient, step: number): boolean {
    const [was, is] = [this.#screen, copy].map(({ view }) => view.metrics.records(step - 1).find((record) => record.step === step));
    if (!was || !is) return true;
    return Object.entries(was.metrics).every(([name, value]) => isTimedMetric(name) || !(name in is.metrics) || is.metrics[name] === value);
  }
}

/** Repeats steps of the run on screen. */
export const repeater = new StepRepeater(engine, openTrainerWorker);
