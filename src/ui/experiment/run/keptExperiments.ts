// Experiments that this browser keeps: what was planned and what failed. How far each run is follows from the saves, so nothing here has
// to keep step with them, and a page that closes at any moment has lost nothing of one.
// Database, table and locks have the name of the first shape that was kept.
import type { DBSchema } from "idb";
import { databaseOf } from "../../../browser/database.ts";
import { isRecord } from "../../../protocol/problems.ts";
import { type ExperimentPlan, experimentPlanSchema } from "../../../protocol/run/experimentPlan.ts";

export interface KeptExperiment {
  readonly id: string;
  readonly plan: ExperimentPlan;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  /** Why runs failed, by their ids. */
  readonly failures: Readonly<Record<string, string>>;
  /** What was not trained is not to be. */
  readonly isCancelled: boolean;
}

interface ExperimentSchema extends DBSchema {
  sweeps: { key: string; value: KeptExperiment };
}

const database = databaseOf<ExperimentSchema>(
  "rollout-lab-sweeps",
  1,
  (fresh) => void fresh.createObjectStore("sweeps", { keyPath: "id" }),
);

async function change(
  what: (sweeps: { put(kept: KeptExperiment): Promise<string>; delete(id: string): Promise<void> }) => Promise<unknown>,
) {
  const transaction = await database.begin(["sweeps"], "readwrite");
  await Promise.all([what(transaction.objectStore("sweeps")), transaction.done]);
}

/** A kept experiment as it can be used; null where it was spoilt or is of a later version. */
function readKept(value: unknown): KeptExperiment | null {
  if (!isRecord(value)) return null;
  const plan = experimentPlanSchema.safeParse(value.plan);
  return plan.success ? ({ ...value, plan: plan.data } as unknown as KeptExperiment) : null;
}

/** All of them, newest first; those that cannot be read are left out. */
export async function keptExperiments(): Promise<readonly KeptExperiment[]> {
  const all: readonly unknown[] = await (await database.begin(["sweeps"], "readonly")).objectStore("sweeps").getAll();
  return all.flatMap((value) => readKept(value) ?? []).sort((a, b) => b.createdAt - a.createdAt);
}

export async function keepExperiment(experiment: KeptExperiment): Promise<void> {
  await change((sweeps) => sweeps.put(experiment));
}

export async function forgetExperiment(id: string): Promise<void> {
  await change((sweeps) => sweeps.delete(id));
}

/**
 * Takes an experiment for this tab until it is given back; null where another tab trains it. Without locks, as on pages
 * that are not secure, nobody else is known of.
 */
export function takeExperiment(id: string): Promise<(() => void) | null> {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const held = (lock: Lock | null) => (lock ? new Promise<void>((release) => resolve(release)) : resolve(null));
    locks.request(`rollout-lab-sweep/${id}`, { ifAvailable: true }, async (lock) => held(lock)).catch(reject);
  });
}
