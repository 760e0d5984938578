// What lists tell of a run while it goes on: seldom, since judging a long run takes a while, and as it stands where it rests.
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
    return this.#isResting && this.#known?.of !== this.#told;
  }

  /** What a digest is of: as many records. */
  get #told(): string {
    const { steps, evaluations } = this.#run;
    return `${steps.at(-1)?.step ?? 0} ${evaluations.length}`;
  }

  now(nowMs: number): RunDigest {
    const known = this.#known;
    if (known && !this.#isResting && nowMs - known.at < EVERY_MS) return known.digest;
    this.#isResting = false;
    if (known?.of === this.#told) return known.digest;
    const { trainer, steps, evaluations, baselines } = this.#run;
    const digest = digestOf({ config: trainer.config, steps, evaluations, baselines, rewards: paidParts(trainer.config, catalog) });
    this.#known = { of: this.#told, at: nowMs, digest };
    return digest;
  }
}
