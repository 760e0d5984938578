// What the buttons, the keyboard and window.rolloutLab do: each turns an intention into commands,
// given the facts in the stores.
import type { Catalog } from "../protocol/catalog.ts";
import type { RunConfig, RunConfigInput, RunConfigKey } from "../protocol/config.ts";
import { type LiveSettings, liveKeys } from "../protocol/configFacts.ts";
import { InputError } from "../protocol/problems.ts";
import { engine } from "./client.ts";
import { startSlowly } from "./pace.ts";
import { type Draft, draftOf, isSameKind, resolveDraft, withEdit, withEntry } from "./store/draftConfig.ts";
import { setDraft, undoDraft, useDraft } from "./store/draftStore.ts";

/** For what a button does: why it did not work is among the run's facts, where the page shows it. */
function act(action: Promise<unknown>): void {
  action.catch(() => {});
}

/** Time, so that ids sort, and chance, so that runs started in the same moment have their own. */
export function newRunId(): string {
  const [bits = 0] = crypto.getRandomValues(new BigUint64Array(1));
  return `run-${Date.now().toString(36)}-${bits.toString(36)}`;
}

/** Whether a run is there to go on with. */
export function hasRun(): boolean {
  return engine.view.facts.getState().runId !== null;
}

/** Starts a run and resolves when it runs (or waits, if paused); rejects with the engine's sentence, or when it is given up for another. */
export async function startRun(config: RunConfigInput, paused = false): Promise<string> {
  const runId = newRunId();
  await engine.request({ type: "start", runId, config, paused });
  return runId;
}

/** Starts what the draft describes; rejects when it does not begin. Its problems are shown beside their fields. */
async function startDraft(paused = false): Promise<void> {
  const { catalog } = engine.facts.getState();
  if (!catalog) throw new Error("the engine is loading");
  const { input, config, problems } = resolveDraft(catalog, useDraft.getState().draft);
  if (!config) throw new InputError(problems);
  await startRun(input, paused);
  useDraft.setState({ applied: config });
}

/** Train: starts, continues, or adds as many steps again to a finished run, unless the panel shows a run of another kind. */
export function train(): void {
  const { state, config } = engine.view.facts.getState();
  if (state === "running" || state === "preparing") return;
  if (state === "idle" || state === "failed" || !hasRun() || (state === "finished" && showsOtherKind())) {
    startSlowly();
    act(startDraft());
    return;
  }
  if (isAtLimit() && config) extend(config.steps);
  engine.send({ type: "resume" });
}

/**
 * After a supervised run: a new run that begins with its weights and learns the same task from rewards, by GRPO.
 * Resolves once it trains.
 */
export async function startFromHere(): Promise<void> {
  const { config } = engine.view.facts.getState();
  const { catalog } = engine.facts.getState();
  if (!config || !catalog) throw new Error("there is no run to go on from");
  const { task, taskOptions, rewardWeights, seed, evalProblems, evalSamples, backend, threads } = config;
  const input = { task, taskOptions, rewardWeights, seed, evalProblems, evalSamples, backend, threads, algorithm: "grpo" };
  await engine.request({ type: "start", runId: newRunId(), config: input, inherit: true });
  const started = engine.view.facts.getState().config;
  if (started) showConfig(catalog, started);
}

export function goOnWithRewards(): void {
  act(startFromHere());
}

export function pause(): void {
  if (engine.view.facts.getState().state === "running") engine.send({ type: "pause" });
}

/** Takes one step or one phase and resolves when it is over; starts a run first where there is none. Rejects with why it is not. */
export async function advance(unit: "step" | "phase"): Promise<void> {
  const { state } = engine.view.facts.getState();
  if (!hasRun() || state === "idle" || state === "failed") await startDraft(true);
  if (isAtLimit()) extend(1);
  await engine.request({ type: "advance", unit });
}

/** What the buttons of one step and one phase do. */
export function takeOne(unit: "step" | "phase"): void {
  if (engine.view.facts.getState().state !== "preparing") act(advance(unit));
}

export async function forgetRun(): Promise<void> {
  useDraft.setState({ applied: null });
  await engine.request({ type: "reset" });
}

export function reset(): void {
  act(forgetRun());
}

/** Ends the current run where there is one and starts the draft. */
export function restartWithChanges(): void {
  act(startDraft());
}

/** Asks for a step's groups, which arrive in its view; rejects with the engine's sentence. */
export async function inspect(step: number, promptIndex?: number): Promise<void> {
  await engine.request({ type: "inspect", step, ...(promptIndex === undefined ? {} : { promptIndex }) });
}

function applyLive(settings: LiveSettings): void {
  engine.send({ type: "set", settings });
  useDraft.setState(({ applied }) => ({ applied: applied ? { ...applied, ...(settings as typeof applied) } : null }));
}

/** Whether the run has taken all the steps it was given. */
function isAtLimit(): boolean {
  const { config, step } = engine.view.facts.getState();
  return config !== null && config.steps > 0 && step >= config.steps;
}

/** Whether the panel describes another kind of run than the one that is there, which its changes must not reach. */
function showsOtherKind(): boolean {
  const { catalog } = engine.facts.getState();
  const { draft, applied } = useDraft.getState();
  const config = catalog ? resolveDraft(catalog, draft).config : null;
  return config !== null && applied !== null && !isSameKind(applied, config);
}

/** Gives the run more steps; the panel and the address say so too, or the next edit would take them back. */
function extend(more: number): void {
  const { catalog } = engine.facts.getState();
  const { step } = engine.view.facts.getState();
  if (catalog && !showsOtherKind()) setDraft(withEdit(catalog, useDraft.getState().draft, "steps", step + more));
  applyLive({ steps: step + more });
}

/** Sends what may change at once while a run of the same kind is there; the rest waits for a restart. */
function pushLive(draft: Draft): void {
  const { catalog } = engine.facts.getState();
  const { state } = engine.view.facts.getState();
  const { applied } = useDraft.getState();
  const config = catalog ? resolveDraft(catalog, draft).config : null;
  if (!config || !applied || !isSameKind(applied, config) || !hasRun() || state === "failed") return;
  const changed = liveKeys.filter((key) => config[key] !== applied[key]);
  if (changed.length > 0) applyLive(Object.fromEntries(changed.map((key) => [key, config[key]])));
}

/** Sets one field of the draft. */
export function edit(key: RunConfigKey, value: unknown): void {
  const { catalog } = engine.facts.getState();
  if (!catalog) return;
  const draft = withEdit(catalog, useDraft.getState().draft, key, value);
  setDraft(draft);
  pushLive(draft);
}

/** Puts a run's configuration into the panel. Changes on the way belong to that run, not to one that a restart would begin. */
export function showConfig(catalog: Catalog, config: RunConfig): void {
  const plain = { ...config, changes: [] };
  useDraft.setState({ draft: draftOf(catalog, plain), past: [], applied: plain });
}

/** Sets one option of the task or one reward weight. */
export function editEntry(record: "taskOptions" | "rewardWeights", name: string, value: number | string | boolean): void {
  setDraft(withEntry(useDraft.getState().draft, record, name, value));
}

export function choosePreset(presetId: string): void {
  setDraft({ presetId, edits: {} });
  pushLive(useDraft.getState().draft);
}

export function undo(): void {
  undoDraft();
  pushLive(useDraft.getState().draft);
}
