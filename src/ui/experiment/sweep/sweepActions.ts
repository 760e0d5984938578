// What the buttons of a sweep do: it begins, goes on where it stood, pauses, ends, is forgotten. One sweep trains at a time.
import { codeIn } from "../../../protocol/config/customRewards.ts";
import { errorText } from "../../../protocol/problems.ts";
import { withSettings } from "../../../protocol/run/sweepPlan.ts";
import { newRunId } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { openTrainerWorker } from "../../engine/openWorkers.ts";
import { untilRead } from "../../engine/readCode.ts";
import { goTo } from "../../engine/route.ts";
import { forgetSweep, type KeptSweep, keepSweep, keptSweeps, takeSweep } from "./keptSweeps.ts";
import { type DraftedSweep, planOf } from "./setup/sweepSetup.ts";
import { SweepQueue } from "./sweepQueue.ts";
import {
  changeKept,
  type LoadedSweep,
  racersOf,
  runsOf,
  setRunStatus,
  showRecords,
  statusOf,
  sweepVersion,
  useSweeps,
} from "./sweepStore.ts";

/** Of the memory that the machine is known to have, how much workers may take. */
const SHARE = 0.75;
const GIGABYTE = 2 ** 30;

let queue: SweepQueue | null = null;
let giveBack: (() => void) | null = null;

const cores = () => navigator.hardwareConcurrency || 2;
const saveOf = (runId: string) => engine.facts.getState().saves?.find((save) => save.runId === runId);
const failed = (error: unknown) => useSweeps.setState({ problem: errorText(error) });
const keptOf = (id: string) => useSweeps.getState().kept?.find((each) => each.id === id);

/** Asks the engine anew which runs are saved: other workers save them. */
export async function listSaves(): Promise<void> {
  await engine.request({ type: "list-saves" }).catch(() => {});
}

/** Reads which sweeps are kept, once. */
export async function readSweeps(): Promise<void> {
  if (useSweeps.getState().kept !== null) return;
  try {
    const kept = await keptSweeps();
    useSweeps.setState((now) => (now.kept === null ? { kept } : {}));
  } catch (error) {
    useSweeps.setState({ kept: [] });
    failed(new Error(`The sweeps that are kept here cannot be read: ${errorText(error)}`));
  }
}

/** "sweep 3" where the highest number on any sweep or run is 2. */
function freeName(kept: readonly KeptSweep[]): string {
  const names = [...kept.map(({ plan }) => plan.name), ...(engine.facts.getState().saves ?? []).flatMap(({ label }) => label.tags ?? [])];
  const numbers = names.flatMap((name) => /^sweep (\d{1,6})$/.exec(name)?.[1] ?? []).map(Number);
  return `sweep ${Math.max(0, ...numbers) + 1}`;
}

/** How many runs of a sweep go on at once: by cores, and by the memory that the largest of them takes. */
async function fittingRuns(plan: KeptSweep["plan"]): Promise<number> {
  const { deviceMemory = 8 } = navigator as { readonly deviceMemory?: number };
  const estimates = await Promise.all(
    plan.combinations.map(({ settings }) =>
      engine.request({ type: "estimate", config: { ...withSettings(plan.base, settings), threads: 1 } }).then(
        ({ bytes }) => bytes,
        () => 0,
      ),
    ),
  );
  const most = Math.max(1, ...estimates);
  // The run on screen keeps a core.
  const { state } = engine.view.facts.getState();
  const free = cores() - (state === "running" ? 1 : 0);
  return Math.max(1, Math.min(free, plan.runs.length, Math.floor((SHARE * deviceMemory * GIGABYTE) / most)));
}

/** Keeps a new sweep and begins it. Goes to where it is shown. */
export async function startSweep(drafted: DraftedSweep): Promise<void> {
  try {
    await untilRead(...drafted.combinations.flatMap(({ config }) => config ?? []));
    await readSweeps();
    const kept = useSweeps.getState().kept ?? [];
    const plan = planOf(drafted, freeName(kept), newRunId);
    const sweep: KeptSweep = {
      ...{ id: newRunId().replace("run", "sweep"), plan, createdAt: Date.now() },
      failures: {},
      isCancelled: false,
    };
    await keepSweep(sweep);
    useSweeps.setState({ kept: [sweep, ...kept], problem: null });
    goTo("sweep", new URLSearchParams({ id: sweep.id }));
    await goOnSweep(sweep.id);
  } catch (error) {
    failed(error);
  }
}

/** Shows the runs of a kept sweep as far as they have come; once. */
export async function loadSweep(id: string): Promise<void> {
  const { catalog } = engine.facts.getState();
  const kept = keptOf(id);
  if (!kept || !catalog || useSweeps.getState().loaded[id]) return;
  put(id, { racers: racersOf(catalog, kept.plan), isRead: false });
  await listSaves();
  for (const run of runsOf(useSweeps.getState().loaded[id]!)) {
    const [save, failure] = [saveOf(run.id), kept.failures[run.id]];
    if (save?.config && save.step > 0)
      await engine.request({ type: "records", runId: run.id }).then(
        (records) => showRecords(run, records),
        () => {},
      );
    if (failure !== undefined) run.view.facts.setState({ state: "failed", stateReason: failure });
    const status = statusOf(save, failure);
    if (status === "done" && failure === undefined) run.view.facts.setState({ state: "finished", stateReason: null });
    setRunStatus(id, run.id, status);
    sweepVersion.bump();
  }
  const read = useSweeps.getState().loaded[id];
  if (read) put(id, { ...read, isRead: true });
  sweepVersion.bump();
}

function put(id: string, sweep: LoadedSweep): void {
  useSweeps.setState(({ loaded }) => ({ loaded: { ...loaded, [id]: sweep } }));
}

/** Trains what is left of a sweep, from where each run stands. Another sweep that goes on is paused first, and what failed is tried again. */
export async function goOnSweep(id: string): Promise<void> {
  const { going } = useSweeps.getState();
  if (going === id) return resumeSweep();
  if (going !== null) await standDown();
  try {
    await loadSweep(id);
    const kept = keptOf(id);
    if (!kept) throw new Error("The sweep is not kept in this browser any more");
    if (codeIn(kept.plan.base).length > 0) await untilRead(kept.plan.base);
    giveBack = await takeSweep(id);
    if (!giveBack) throw new Error("The sweep goes on in another tab of this browser: look at it there, or close that tab");
    for (const runId of Object.keys(kept.failures)) setRunStatus(id, runId, "waiting");
    void keepChanged(id, { failures: {}, isCancelled: false });
    useSweeps.setState({ going: id, paused: false, problem: null, fitting: null });
    queue = new SweepQueue(id, kept.plan, openTrainerWorker, {
      cores: cores(),
      saveOf,
      onSaved: (run) => void tagRun(id, run),
      onEnded: (run, why) => ended(id, run, why),
      onOver: over,
    });
    useSweeps.setState({ fitting: await fittingRuns(kept.plan) });
    // It may have been paused or ended meanwhile.
    queue?.launch();
  } catch (error) {
    failed(error);
  }
}

async function keepChanged(id: string, change: Partial<KeptSweep>): Promise<void> {
  const changed = changeKept(id, change);
  // A disk that is full loses why a run failed, and no run.
  if (changed) await keepSweep(changed).catch(failed);
}

/** Writes the sweep's name on a run, beside what somebody has written there; the list of runs is told anew with it. */
async function tagRun(id: string, runId: string): Promise<void> {
  const tag = keptOf(id)?.plan.name;
  const label = saveOf(runId)?.label ?? {};
  const tags = label.tags ?? [];
  if (tag === undefined || tags.includes(tag)) return;
  // A run that cannot be tagged is trained all the same.
  await engine.request({ type: "label", runId, label: { ...label, tags: [...tags, tag] } }).catch(() => {});
}

function ended(id: string, runId: string, failure: string | null): void {
  void listSaves().then(() => (saveOf(runId) ? tagRun(id, runId) : undefined));
  if (failure !== null) void keepChanged(id, { failures: { ...keptOf(id)?.failures, [runId]: failure } });
}

function over(): void {
  queue = null;
  giveBack?.();
  giveBack = null;
  useSweeps.setState({ going: null, paused: false });
  sweepVersion.bump();
}

export function pauseSweep(): void {
  useSweeps.setState({ paused: true });
  queue?.pause();
}

export function resumeSweep(): void {
  useSweeps.setState({ paused: false });
  queue?.resume();
}

export function setAtOnce(atOnce: number | null): void {
  useSweeps.setState({ atOnce });
  queue?.launch();
}

/** Ends the workers of the sweep that goes on; it can go on later. */
async function standDown(): Promise<void> {
  await queue?.close();
  over();
  await listSaves();
}

/** Ends a sweep where it stands: what was trained stays, what was not is not. */
export async function cancelSweep(id: string): Promise<void> {
  void keepChanged(id, { isCancelled: true });
  if (useSweeps.getState().going === id) await standDown();
}

/** Forgets a sweep; its runs stay. */
export async function removeSweep(id: string): Promise<void> {
  try {
    if (useSweeps.getState().going === id) await standDown();
    await forgetSweep(id);
    useSweeps.setState(({ kept, loaded }) => {
      const { [id]: _, ...others } = loaded;
      return { kept: kept?.filter((each) => each.id !== id) ?? null, loaded: others, problem: null };
    });
    goTo("sweep");
  } catch (error) {
    failed(error);
  }
}
