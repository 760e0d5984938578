// The digest of a run for lists while it goes on: made every 5 seconds at most, since judging a long run takes a while,
// and anew where the run comes to rest.
import { paidParts } from "../../../protocol/run/paidParts.ts";
import type { RunDigest } from "../../../protocol/run/runSummary.ts";
import { digestOf } from "../../../rl/summary/digest.ts";
import { catalog } from "../../catalog.ts";
import type { ActiveRun } from "../../start/start.ts";

/** How old it may be while the run goes on. */
const EVERY_MS = 5_000;

/** The digest of one run; owned state. */
export class LiveDigest {
  readonly #run: Pick<ActiveRun, "trainer" | "steps" | "evaluations" | "baselines">;
  #known: { readonly of: string; readonly at: number; readonly digest: RunDigest } | null = null;
  #isResting = false;

  constructor(run: Pick<ActiveRun, "trainer" | "steps" | "evaluations" | "baselines">) {
    this.#run = run;
  }

  /** The run comes to rest: what is told of it is to be true then. */
  rest(): void {
    this.#isResting = true;
  }

  /** Whether the run rests and what was told of it is older. */
  get isDue(): boolean {
    return this.#isResting && this.#known?.of !== this.#recordsKey;
  }

  /** Names the records that a digest is made of. */
  get #recordsKey(): string {
    const { steps, evaluations } = this.#run;
    return `${steps.at(-1)?.step ?? 0} ${evaluations.length}`;
  }

  /** The digest as lists are told it; that of a run at rest is up to date. */
  digestAt(nowMs: number): RunDigest {
    const known = this.#known;
    if (known && !this.#isResting && nowMs - known.at < EVERY_MS) return known.digest;
    this.#isResting = false;
    if (known?.of === this.#recordsKey) return known.digest;
    const { trainer, steps, evaluations, baselines } = this.#run;
    const digest = digestOf({ config: trainer.config, steps, evaluations, baselines, rewards: paidParts(trainer.config, catalog) });
    this.#known = { of: this.#recordsKey, at: nowMs, digest };
    return digest;
  }
}
