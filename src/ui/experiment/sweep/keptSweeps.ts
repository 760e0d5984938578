// Sweeps that this browser keeps: what was planned and what failed. How far each run is follows from the saves, so nothing here has
// to keep step with them, and a page that closes at any moment has lost nothing of a sweep.
import type { DBSchema } from "idb";
import { databaseOf } from "../../../browser/database.ts";
import { isRecord } from "../../../protocol/problems.ts";
import { type SweepPlan, sweepPlanSchema } from "../../../protocol/run/sweepPlan.ts";

export interface KeptSweep {
  readonly id: string;
  readonly plan: SweepPlan;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  /** Why runs failed, by their ids. */
  readonly failures: Readonly<Record<string, string>>;
  /** What was not trained is not to be. */
  readonly isCancelled: boolean;
}

interface SweepSchema extends DBSchema {
  sweeps: { key: string; value: KeptSweep };
}

const database = databaseOf<SweepSchema>("rollout-lab-sweeps", 1, (fresh) => void fresh.createObjectStore("sweeps", { keyPath: "id" }));

async function change(what: (sweeps: { put(sweep: KeptSweep): Promise<string>; delete(id: string): Promise<void> }) => Promise<unknown>) {
  const transaction = await database.begin(["sweeps"], "readwrite");
  await Promise.all([what(transaction.objectStore("sweeps")), transaction.done]);
}

/** A kept sweep as it can be used; null where it was spoilt or is of a later version. */
function readKept(value: unknown): KeptSweep | null {
  if (!isRecord(value)) return null;
  const plan = sweepPlanSchema.safeParse(value.plan);
  return plan.success ? ({ ...value, plan: plan.data } as unknown as KeptSweep) : null;
}

/** All of them, newest first; those that cannot be read are left out. */
export async function keptSweeps(): Promise<readonly KeptSweep[]> {
  const all: readonly unknown[] = await (await database.begin(["sweeps"], "readonly")).objectStore("sweeps").getAll();
  return all.flatMap((value) => readKept(value) ?? []).sort((a, b) => b.createdAt - a.createdAt);
}

export async function keepSweep(sweep: KeptSweep): Promise<void> {
  await change((sweeps) => sweeps.put(sweep));
}

export async function forgetSweep(id: string): Promise<void> {
  await change((sweeps) => sweeps.delete(id));
}

/** Takes a sweep for this tab until it is given back; null where another tab trains it. Without locks, as on pages that are not secure, nobody else is known of. */
export function takeSweep(id: string): Promise<(() => void) | null> {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    const held = (lock: Lock | null) => (lock ? new Promise<void>((release) => resolve(release)) : resolve(null));
    locks.request(`rollout-lab-sweep/${id}`, { ifAvailable: true }, async (lock) => held(lock)).catch(reject);
  });
}
