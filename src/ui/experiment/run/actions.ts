// What the buttons of an experiment do: it begins, goes on where it stood, pauses, ends, is forgotten. One experiment trains at a time.
import { codeIn } from "../../../protocol/config/customRewards.ts";
import { errorText } from "../../../protocol/problems.ts";
import { configOfPlanned, type ExperimentPlan } from "../../../protocol/run/experimentPlan.ts";
import { newRunId } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { openTrainerWorker } from "../../engine/openWorkers.ts";
import { untilRead } from "../../engine/sourcesRead.ts";
import { show } from "../plan/setup.ts";
import { shapeOf } from "../shapes/index.ts";
import { EnginePool } from "./enginePool.ts";
import {
  changeKept,
  combinationsOfPlan,
  type ExperimentRun,
  experimentVersion,
  isOnScreen,
  keptOf,
  loadedRuns,
  putLoaded,
  setRunStatus,
  showRecords,
  statusOf,
  useExperiments,
} from "./experiments.ts";
import { forgetExperiment, type KeptExperiment, keepExperiment, keptExperiments, takeExperiment } from "./keptExperiments.ts";

/** Of the memory that the machine is known to have, how much workers may take. */
const SHARE = 0.75;
const GIGABYTE = 2 ** 30;

let pool: EnginePool | null = null;
let giveBack: (() => void) | null = null;

const cores = () => navigator.hardwareConcurrency || 2;
const saveOf = (runId: string) => engine.facts.getState().saves?.find((save) => save.runId === runId);
const failed = (error: unknown) => useExperiments.setState({ problem: errorText(error) });

/** Asks the engine anew which runs are saved: other workers save them. */
export async function listSaves(): Promise<void> {
  await engine.request({ type: "list-saves" }).catch(() => {});
}

/** Reads which experiments are kept, once. */
export async function readExperiments(): Promise<void> {
  if (useExperiments.getState().kept !== null) return;
  try {
    const kept = await keptExperiments();
    useExperiments.setState((now) => (now.kept === null ? { kept } : {}));
  } catch (error) {
    useExperiments.setState({ kept: [] });
    failed(new Error(`The experiments saved here cannot be read: ${errorText(error)}`));
  }
}

/** "sweep 3" where the highest number on any sweep or run is 2. */
function freeName(shape: string, kept: readonly KeptExperiment[]): string {
  const names = [...kept.map(({ plan }) => plan.name), ...(engine.facts.getState().saves ?? []).flatMap(({ label }) => label.tags ?? [])];
  const numbers = names.flatMap((name) => new RegExp(`^${shape} (\\d{1,6})$`).exec(name)?.[1] ?? []).map(Number);
  return `${shape} ${Math.max(0, ...numbers) + 1}`;
}

/** How many runs go on at once: by cores, and by the memory that the largest of them takes. */
async function fittingRuns(plan: ExperimentPlan): Promise<number> {
  const { deviceMemory = 8 } = navigator as { readonly deviceMemory?: number };
  const firsts = plan.combinations.flatMap((_, place) => plan.runs.find(({ combination }) => combination === place) ?? []);
  const estimates = await Promise.all(
    firsts.map((run) =>
      engine.request({ type: "estimate", config: { ...configOfPlanned(plan, run), threads: 1 } }).then(
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

/** Keeps a new experiment, shows it and begins it. @param planned given a name that is free, what is to be trained */
export async function startExperiment(shape: string, planned: (name: string) => ExperimentPlan): Promise<void> {
  try {
    await readExperiments();
    const kept = useExperiments.getState().kept ?? [];
    const plan = planned(freeName(shape, kept));
    await untilRead(...plan.runs.map((run) => configOfPlanned(plan, run)));
    const experiment: KeptExperiment = {
      id: newRunId().replace("run", shape),
      plan,
      createdAt: Date.now(),
      failures: {},
      isCancelled: false,
    };
    const problem = await keepExperiment(experiment).then(() => null, errorText);
    useExperiments.setState({ kept: [experiment, ...kept] });
    show(shapeOf(shape).screen, experiment.id);
    await goOnExperiment(experiment.id);
    if (problem !== null) failed(new Error(`It is lost with this page: ${problem}`));
  } catch (error) {
    failed(error);
  }
}

/** Changes what is to be trained, as by a branch more, and trains it. */
export async function extendExperiment(id: string, change: (plan: ExperimentPlan) => ExperimentPlan): Promise<void> {
  const [kept, { catalog }] = [keptOf(id), engine.facts.getState()];
  if (!kept || !catalog) return;
  const plan = change(kept.plan);
  putLoaded(id, { combinations: combinationsOfPlan(catalog, plan, loadedRuns(id)) });
  await keepChanged(id, { plan });
  if (useExperiments.getState().going === id) pool?.launch();
  else await goOnExperiment(id);
}

/** Shows the runs of a kept experiment as far as they have come; once. */
export async function loadExperiment(id: string): Promise<void> {
  const { catalog } = engine.facts.getState();
  const kept = keptOf(id);
  if (!kept || !catalog || useExperiments.getState().loaded[id]) return;
  putLoaded(id, { combinations: combinationsOfPlan(catalog, kept.plan) });
  await listSaves();
  for (const run of loadedRuns(id)) {
    const save = saveOf(run.id);
    const failure = kept.failures[run.id];
    if (save?.config && save.step > 0)
      await engine.request({ type: "records", runId: run.id }).then(
        (records) => showRecords(run, records),
        () => {},
      );
    if (failure !== undefined) run.view.facts.setState({ state: "failed", stateReason: failure });
    const status = run.isElsewhere ? "done" : statusOf(save, failure);
    if (status === "done" && failure === undefined && !run.isElsewhere) run.view.facts.setState({ state: "finished", stateReason: null });
    setRunStatus(id, run.id, status);
    if (run.isElsewhere) followScreen(run);
    experimentVersion.bump();
  }
  putLoaded(id, { isRead: true });
  experimentVersion.bump();
}

/** What ends the following of a run on screen, by the run's id. */
const followed = new Map<string, () => void>();

/** Copies the run on screen into a run of the experiment for as long as it is the same run, until the experiment is forgotten. */
function followScreen({ id, view }: ExperimentRun): void {
  followed.get(id)?.();
  const { facts, metrics } = engine.view;
  const copy = () => {
    if (facts.getState().runId !== id) return;
    view.metrics.append(metrics.records(view.metrics.lastStep));
    view.facts.setState(facts.getState(), true);
    experimentVersion.bump();
  };
  copy();
  const ends = [metrics.subscribe(copy), facts.subscribe(copy)];
  followed.set(id, () => {
    for (const end of ends) end();
    followed.delete(id);
  });
}

/**
 * Trains what is left of an experiment, from where each run stands. Another that goes on is paused first, and what
 * failed is tried again.
 */
export async function goOnExperiment(id: string): Promise<void> {
  const { going } = useExperiments.getState();
  if (going === id) return resumeExperiment();
  if (going !== null) await standDown();
  try {
    await loadExperiment(id);
    const kept = keptOf(id);
    if (!kept) throw new Error("The experiment is not kept in this browser any more");
    const { plan } = kept;
    const { keepsRollouts, words } = shapeOf(plan.shape);
    if (codeIn(plan.base).length > 0) await untilRead(plan.base);
    giveBack = await takeExperiment(id);
    if (!giveBack) throw new Error(`The ${words.what} goes on in another tab of this browser: look at it there, or close that tab`);
    for (const runId of Object.keys(kept.failures)) setRunStatus(id, runId, "waiting");
    void keepChanged(id, { failures: {}, isCancelled: false });
    useExperiments.setState({ going: id, paused: false, problem: null, fitting: null });
    pool = new EnginePool(id, openTrainerWorker, {
      cores: cores(),
      keepsRollouts,
      saveOf,
      order: () => keptOf(id)?.plan.runs.map(({ runId }) => runId) ?? [],
      onSaved: (run) => void tagRun(id, run),
      onEnded: (run, why) => ended(id, run, why),
      onOver: over,
    });
    useExperiments.setState({ fitting: await fittingRuns(plan) });
    // It may have been paused or ended meanwhile.
    pool?.launch();
  } catch (error) {
    failed(error);
  }
}

async function keepChanged(id: string, change: Partial<KeptExperiment>): Promise<void> {
  const changed = changeKept(id, change);
  // A disk that is full loses why a run failed, and no run.
  if (changed) await keepExperiment(changed).catch(failed);
}

/** Writes the experiment's name on a run, beside what somebody has written there; the list of runs is told anew with it. */
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
  pool = null;
  giveBack?.();
  giveBack = null;
  useExperiments.setState({ going: null, paused: false });
  experimentVersion.bump();
}

export function pauseExperiment(): void {
  useExperiments.setState({ paused: true });
  pool?.pause();
}

export function resumeExperiment(): void {
  useExperiments.setState({ paused: false });
  pool?.resume();
}

export function setAtOnce(atOnce: number | null): void {
  useExperiments.setState({ atOnce });
  pool?.launch();
}

/** Asks for a step's rollouts of a run that goes on; rejects with why they do not come. */
export async function inspectRun(runId: string, step: number): Promise<void> {
  if (!pool) throw new Error("the run has ended, and these rollouts were not saved");
  await pool.inspect(runId, step);
}

/** Whether an experiment has the run on screen, which branches can leave. */
export function hasRunOnScreen(id: string | null): boolean {
  return id !== null && loadedRuns(id).some(isOnScreen);
}

/** Ends the workers of the experiment that goes on; it can go on later. */
async function standDown(): Promise<void> {
  await pool?.close();
  over();
  await listSaves();
}

/** Ends an experiment where it stands: what was trained stays, what was not is not. */
export async function cancelExperiment(id: string): Promise<void> {
  void keepChanged(id, { isCancelled: true });
  if (useExperiments.getState().going === id) await standDown();
}

/** Forgets an experiment; its runs stay. */
export async function removeExperiment(id: string): Promise<void> {
  try {
    if (useExperiments.getState().going === id) await standDown();
    const screen = shapeOf(keptOf(id)?.plan.shape ?? "").screen;
    await forgetExperiment(id);
    for (const run of loadedRuns(id)) followed.get(run.id)?.();
    useExperiments.setState(({ kept, loaded }) => {
      const { [id]: _, ...others } = loaded;
      return { kept: kept?.filter((each) => each.id !== id) ?? null, loaded: others, problem: null };
    });
    show(screen, null);
  } catch (error) {
    failed(error);
  }
}
