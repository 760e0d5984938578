// The steps of a run whose rollouts its save keeps, as the files they are stored in, and which of them stay when they
// become more than they may. What is marked (the first, best, worst and newest step, those after a change of settings)
// stays longest; the others are thinned evenly, by the rule that thins the metrics.
import type { RunConfig } from "../../../protocol/config.ts";
import type { StepGroups } from "../../../protocol/messages.ts";
import type { EvaluationRecord, StepRecord } from "../../../protocol/records.ts";
import { thinnedIndices } from "../../../protocol/run/thinned.ts";
import { keptName, readGroups } from "./groupFile.ts";

/** A kept step as a save holds it. */
export interface KeptStep {
  readonly step: number;
  readonly file: Uint8Array;
}

/** What has changed of the files since they were last asked for. */
export interface KeptNews {
  readonly put: ReadonlyMap<string, Uint8Array>;
  readonly removed: readonly string[];
}

/** Changes of settings, the last ones, whose next step is marked. */
const MARKED_CHANGES = 8;

/** Steps that stay longest, the one that matters most last. */
export function markedSteps(
  steps: readonly StepRecord[],
  evaluations: readonly EvaluationRecord[],
  { changes }: Pick<RunConfig, "changes">,
): readonly number[] {
  const rewarded = steps.filter(({ metrics }) => Number.isFinite(metrics.reward));
  const extreme = (sign: number) =>
    rewarded.reduce<StepRecord | null>(
      (best, each) => (best && sign * best.metrics.reward! >= sign * each.metrics.reward! ? best : each),
      null,
    )?.step;
  const evaluated = evaluations.filter(({ step }) => step > 0);
  const accurate = evaluated.reduce<EvaluationRecord | null>(
    (best, each) => (best && best.sampledAccuracy >= each.sampledAccuracy ? best : each),
    null,
  )?.step;
  const changed = changes.slice(-MARKED_CHANGES).map(({ afterStep }) => afterStep + 1);
  const marked = [...changed, extreme(-1), accurate, extreme(1), 1, steps.at(-1)?.step];
  return [...new Set(marked.filter((step) => step !== undefined).reverse())].reverse();
}

/** The kept steps of one run; owned state. */
export class KeptSteps {
  readonly #files = new Map<number, Uint8Array>();
  readonly #put = new Map<string, Uint8Array>();
  readonly #removed = new Set<string>();
  #bytes = 0;

  /** @param saved those of the save that the run goes on from. */
  constructor(saved: readonly KeptStep[] = []) {
    for (const { step, file } of saved) this.#set(step, file);
  }

  /** Ascending. */
  get steps(): readonly number[] {
    return [...this.#files.keys()].sort((a, b) => a - b);
  }

  get hasNews(): boolean {
    return this.#put.size + this.#removed.size > 0;
  }

  has(step: number): boolean {
    return this.#files.has(step);
  }

  /** Ascending. */
  list(): readonly KeptStep[] {
    return this.steps.map((step) => ({ step, file: this.#files.get(step)! }));
  }

  /** All files, for a save that is written anew. */
  files(): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#files].map(([step, file]) => [keptName(step), file]));
  }

  /** What has changed since the last time, for a save that goes on. */
  takeNews(): KeptNews {
    const news = { put: new Map(this.#put), removed: [...this.#removed] };
    this.#put.clear();
    this.#removed.clear();
    return news;
  }

  #set(step: number, file: Uint8Array): void {
    this.#bytes += file.length - (this.#files.get(step)?.length ?? 0);
    this.#files.set(step, file);
  }

  /**
   * Keeps a step, and lets go of others where they are more bytes than they may be.
   * @param marked those that stay longest, what matters most last; asked for only where there is no room for all, since
   * finding them means reading every record, and so does putting the kept ones in order
   */
  add(step: number, file: Uint8Array, most: number, marked: () => readonly number[]): void {
    if (file.length > most) return;
    this.#set(step, file);
    this.#put.set(keptName(step), file);
    this.#removed.delete(keptName(step));
    if (this.#bytes > most) this.#trim(most, marked());
  }

  drop(step: number): void {
    const file = this.#files.get(step);
    if (!file) return;
    this.#files.delete(step);
    this.#bytes -= file.length;
    this.#put.delete(keptName(step));
    this.#removed.add(keptName(step));
  }

  /** Forgets steps from this one on, which came out differently or not at all. */
  forgetFrom(first: number): void {
    for (const step of this.steps) if (step >= first) this.drop(step);
  }

  #trim(most: number, marked: readonly number[]): void {
    while (this.#bytes > most) {
      const others = this.steps.filter((step) => !marked.includes(step));
      const kept = thinnedIndices(others, Math.max(1, others.length - 1));
      if (others.length < 3 || !kept) break;
      const stays = new Set(kept.map((i) => others[i]));
      if (stays.size === others.length) break;
      for (const step of others) if (!stays.has(step)) this.drop(step);
    }
    const spare = [...this.steps.filter((step) => !marked.includes(step)), ...marked];
    for (const step of spare) if (this.#bytes > most) this.drop(step);
  }

  /** A step as the engine once answered it; null where it is not kept. Rejects where its file is damaged. */
  async read(step: number, config: RunConfig): Promise<Omit<StepGroups, "oldestStep"> | null> {
    const file = this.#files.get(step);
    return file ? readGroups(file, step, config) : null;
  }
}
