// Which steps a run keeps its rollouts of while it goes on: every one as long as that costs little time beside training,
// and the marked ones at the latest when the run stands still. A step is turned into bytes at its end, or later
// as long as the engine still has it, and compressed beside training.
import type { StepRecord } from "../../../protocol/records.ts";
import type { Clock } from "../../host.ts";
import { encodeGroups, groupsFile } from "../../save/kept/groupFile.ts";
import { markedSteps } from "../../save/kept/keptSteps.ts";
import type { ActiveRun } from "../../start/start.ts";
import { stepGroups } from "../runFeed.ts";

/** The largest share of the time of training that keeping may take. */
const SHARE = 0.04;
/** Longest that a run which comes to rest waits for its rollouts to be compressed. */
const REST_MS = 500;

/** The keeping of one run's rollouts; owned state. */
export class Keeping {
  readonly #run: ActiveRun;
  readonly #clock: Clock;
  readonly #onKept: () => void;
  #spentMs = 0;
  #workedMs = 0;
  readonly #underWay = new Map<number, Promise<void>>();

  /** @param onKept there is something new to be written. */
  constructor(run: ActiveRun, clock: Clock, onKept: () => void) {
    this.#run = run;
    this.#clock = clock;
    this.#onKept = onKept;
  }

  get #mostBytes(): number {
    return this.#run.trainer.config.keptMegabytes * 1e6;
  }

  #marked(): readonly number[] {
    const { steps, evaluations, trainer } = this.#run;
    return markedSteps(steps, evaluations, trainer.config);
  }

  /** Training went on for so long. */
  worked(elapsedMs: number): void {
    this.#workedMs += elapsedMs;
  }

  /** A step is over. */
  offer({ step }: StepRecord): void {
    if (step === 1 || this.#spentMs <= SHARE * this.#workedMs) this.#keep(step);
  }

  /** Keeps what is marked of the steps that are still there, between two steps. */
  async rest(): Promise<void> {
    if (this.#mostBytes === 0) return;
    for (const step of this.#marked()) this.#keep(step);
    await Promise.race([Promise.all(this.#underWay.values()), this.#clock.sleep(REST_MS)]);
  }

  #keep(step: number): void {
    const { kept, history, trainer } = this.#run;
    const sampled = history.get(step);
    if (!sampled || this.#mostBytes === 0 || kept.has(step) || this.#underWay.has(step)) return;
    const begun = this.#clock.now();
    const packed = encodeGroups(stepGroups(this.#run, sampled), trainer.config);
    this.#spentMs += this.#clock.now() - begun;
    if (!packed) return;
    const work = groupsFile(step, packed).then((file) => {
      this.#underWay.delete(step);
      // A step that was refused or repeated meanwhile is another.
      if (history.get(step) !== sampled) return;
      kept.add(step, file, this.#mostBytes, () => this.#marked());
      this.#onKept();
    });
    this.#underWay.set(step, work);
  }
}
