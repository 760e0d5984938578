// A saved run that is looked at without being built: no model, no backend, no memory. It stands at a step, moves to
// another or plays, and tells of it what the live run told up to there, from the records. What needs weights is refused.
import type { Alternatives } from "../../../protocol/asked.ts";
import {
  type BackendReport,
  type EventBody,
  type ModelReport,
  PHASES,
  type RunState,
  type StepGroups,
} from "../../../protocol/messages.ts";
import { errorText } from "../../../protocol/problems.ts";
import type { StepRecord } from "../../../protocol/records.ts";
import type { PairAnswer, PairQuery } from "../../../protocol/rollouts/runPair.ts";
import type { Clock } from "../../host.ts";
import type { AlternativesRequest } from "../../queries/alternatives.ts";
import type { ProbedRun } from "../../queries/probes.ts";
import { KeptSteps } from "../../save/kept/keptSteps.ts";
import { savedRemark } from "../../save/log/oddValues.ts";
import { type DriverSignals, keptGroups } from "../runFeed.ts";
import type { Recording, StepSource } from "./recording.ts";

/** How long a step is shown at speed 1: as long as it took, within these. */
const STEP_MS = { least: 40, most: 1_000 } as const;
/** Below that the phases of a step pass faster than anybody sees. */
const PHASES_MS = 160;

const RECORDED: BackendReport = {
  id: "recording",
  title: "Recording",
  threads: 0,
  tried: [],
  reason: "This run is shown from its records; nothing is computed.",
};
const REFUSED = "this is a recording: go on with the run to ask its model or to change it";
/** Why there are no two runs to be compared. */
export const NO_PAIR = "two runs are compared on the same prompts where files of both are opened together";
const NOT_HERE = "these rollouts were made elsewhere: there is no model here to ask or to train";

function modelOf({ saved, prompts, traced }: Recording): ModelReport {
  if (traced) return { kind: "transformer", parameters: 0, trained: 0, vocabulary: 0, description: "not told by the files" };
  const { config, parameters } = saved;
  const vocabulary = typeof prompts === "string" ? 0 : prompts.renderer.vocabularySize;
  return { kind: config.model, parameters, trained: parameters, vocabulary, description: "from the records of the run" };
}

/** A recording in motion; owned state. It stands where a driver of a live run would. */
export class RecordedDriver {
  readonly autosave = { stored: async () => {}, close: async () => {}, remove: async () => {}, release: () => null };
  readonly #recording: Recording;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #signals: Pick<DriverSignals, "send" | "onState">;
  readonly #kept: StepSource;
  #state: RunState = "paused";
  /** Steps that are shown, and how fast it plays. */
  #count: number;
  #speed = 1;
  /** Counts how often it was set going or stopped: what was under way before knows by it that it is over. */
  #turn = 0;

  constructor(recording: Recording, clock: Pick<Clock, "sleep">, signals: Pick<DriverSignals, "send" | "onState">) {
    this.#recording = recording;
    this.#clock = clock;
    this.#signals = signals;
    this.#kept = recording.traced?.rollouts ?? new KeptSteps(recording.saved.kept);
    this.#count = recording.saved.steps.length;
  }

  get state(): { readonly state: RunState } {
    return { state: this.#state };
  }

  get recording(): Recording {
    return this.#recording;
  }

  /** What of the run is known where it stands. */
  get run(): { readonly runId: string } & ProbedRun {
    const { runId, saved, prompts } = this.#recording;
    const probes = saved.probes.filter(({ step }) => step <= this.#step);
    const known = () => {
      if (typeof prompts === "string") throw new Error(`what was asked over time cannot be shown here: ${prompts}`);
      return prompts;
    };
    return {
      runId,
      probes,
      get task() {
        return known().task;
      },
      get renderer() {
        return known().renderer;
      },
    };
  }

  get #step(): number {
    return this.#recording.saved.steps[this.#count - 1]?.step ?? 0;
  }

  /** @param step where it begins to stand; its end where left out. */
  begin(isPaused: boolean, step?: number): void {
    const { saved, traced } = this.#recording;
    if (step !== undefined) this.#count = this.#countAt(step);
    this.#send({
      type: "started",
      config: saved.config,
      step: this.#step,
      backend: traced ? { ...RECORDED, title: "Files", reason: "These rollouts are shown from files; nothing is computed." } : RECORDED,
      model: modelOf(this.#recording),
      continued: true,
      recording: { lastStep: saved.steps.at(-1)?.step ?? 0, ...(traced ? { traced: traced.report } : {}) },
    });
    this.#tell();
    const remark = savedRemark(saved);
    if (remark !== null) this.#send({ type: "notice", message: remark });
    if (!isPaused) this.resume();
    else this.#move(this.#count < saved.steps.length ? "paused" : "finished");
  }

  /** Moves to a step, and sets how fast it plays. */
  seek(step: number | undefined, speed: number | undefined): void {
    if (speed !== undefined) this.#speed = speed;
    if (step === undefined) return;
    this.#count = this.#countAt(step);
    // One that plays goes on from there.
    if (this.#state === "running") void this.#play();
    else this.#move("paused");
    this.#tell();
  }

  /** Steps up to this one. */
  #countAt(step: number): number {
    const { steps } = this.#recording.saved;
    const after = steps.findIndex((record) => record.step > step);
    return after < 0 ? steps.length : after;
  }

  /** Plays on, from the beginning where it has come to its end. */
  resume(): void {
    if (this.#count >= this.#recording.saved.steps.length) {
      this.#count = 0;
      this.#tell();
    }
    this.#move("running");
    void this.#play();
  }

  async advance(): Promise<void> {
    await this.halt();
    const next = this.#recording.saved.steps[this.#count];
    if (next) await this.#show(next);
    this.#move("paused");
  }

  async halt(): Promise<boolean> {
    this.#turn += 1;
    return true;
  }

  async pause(): Promise<void> {
    await this.halt();
    this.#move("paused");
  }

  stop(): Promise<void> {
    return this.pause();
  }

  goOn(): void {
    if (this.#state === "running") void this.#play();
  }

  set(): never {
    throw new Error(this.#recording.traced ? NOT_HERE : REFUSED);
  }

  async atRest(): Promise<never> {
    return this.set();
  }
  read(): Promise<never> {
    return this.atRest();
  }

  /** Nothing of it is on a device. */
  lose(): void {}

  end(): Promise<void> {
    return this.halt().then(() => {});
  }

  async inspect(step: number, promptIndex?: number): Promise<StepGroups> {
    const { saved } = this.#recording;
    const whole = await this.#kept.read(step, saved.config);
    if (!whole) throw new Error(`the rollouts of step ${step} are not in the recording`);
    return { ...keptGroups(whole, promptIndex), oldestStep: -1 };
  }

  /** Two of the runs whose files were opened together. */
  async pair(query: PairQuery): Promise<PairAnswer> {
    const { traced } = this.#recording;
    if (!traced) throw new Error(NO_PAIR);
    return traced.pair(query);
  }

  /** What was known of them as the run was handed on; nobody can be asked for others. */
  async alternatives({ step, promptIndex, trajectoryIndex, index = 0 }: AlternativesRequest): Promise<Alternatives> {
    const { groups } = await this.inspect(step);
    const trajectory = groups[promptIndex]?.trajectories[trajectoryIndex];
    const known = trajectory?.alternatives;
    if (!trajectory || !known || index < known.places[0] || index >= known.places[1]) return this.atRest();
    const { places, rows } = known;
    return { step, promptIndex, trajectoryIndex, places, alternatives_T: trajectory.tokens.map((_, t) => rows[t - places[0]] ?? []) };
  }

  async #play(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const { steps, config } = this.#recording.saved;
    const phases = config.kind === "supervised" ? (["sample", "update"] as const) : PHASES.slice(0, 4);
    while (this.#count < steps.length) {
      const next = steps[this.#count]!;
      const took = 1_000 * (next.metrics.step_time ?? 0);
      const ms = Math.min(STEP_MS.most, Math.max(STEP_MS.least, took)) / this.#speed;
      const parts = ms >= PHASES_MS ? phases : ["update" as const];
      for (const phase of parts) {
        this.#send({ type: "phase", step: next.step, phase, done: 1, total: 1 });
        await this.#clock.sleep(ms / parts.length);
        if (turn !== this.#turn) return;
      }
      await this.#show(next);
      if (turn !== this.#turn) return;
    }
    this.#move("finished");
  }

  /** One more step. */
  async #show(record: StepRecord): Promise<void> {
    this.#count += 1;
    this.#send({ type: "steps", records: [record] });
    for (const evaluation of this.#recording.saved.evaluations)
      if (evaluation.step === record.step) this.#send({ type: "evaluation", record: evaluation });
    if (this.#kept.has(record.step)) await this.#tellGroups(record.step);
  }

  /** Everything up to where it stands, in the place of what was told before. */
  #tell(): void {
    const { steps, evaluations, baselines } = this.#recording.saved;
    const step = this.#step;
    const kept = this.#kept.steps.filter((each) => each <= step);
    const upTo = evaluations.filter((each) => each.step <= step);
    this.#send({ type: "history", steps: steps.slice(0, this.#count), evaluations: upTo, baselines, kept });
    const newest = kept.at(-1);
    if (newest !== undefined) void this.#tellGroups(newest);
  }

  async #tellGroups(step: number): Promise<void> {
    const count = this.#count;
    try {
      const groups = await this.inspect(step);
      if (count === this.#count) this.#send({ type: "groups", ...groups });
    } catch (error) {
      this.#send({ type: "notice", message: `The rollouts of step ${step} cannot be shown: ${errorText(error)}` });
    }
  }

  #move(state: RunState): void {
    this.#state = state;
    // It stands between steps, also where it was stopped while the phases of the next one passed.
    if (state !== "running") this.#send({ type: "phase", step: this.#step, phase: "update", done: 1, total: 1 });
    this.#signals.onState();
  }

  #send(event: EventBody): void {
    this.#signals.send(event);
  }
}
