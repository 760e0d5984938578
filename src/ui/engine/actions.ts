// What the buttons, the keyboard and window.rolloutLab do with the run: each turns an intention into commands,
// given the facts in the stores. What gives up a run asks first where much would be lost with it.
import type { CommandOf } from "../../protocol/commands.ts";
import { isSame, type LiveSettings, liveKeys, RECORDS } from "../../protocol/config/configFacts.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { InputError, Refused } from "../../protocol/problems.ts";
import { openDialog } from "../kit/dialog/dialogStore.ts";
import { engine } from "./client.ts";
import { hasRun, isForNextRun, showConfig } from "./draftActions.ts";
import { startSlowly } from "./pace.ts";
import { untilRead } from "./sourcesRead.ts";
import { resolveDraft } from "./store/draft/draftConfig.ts";
import { useDraft } from "./store/draft/draftStore.ts";
import { isAtLimit, isMuch, type TrainAction, trainAction } from "./trainAction.ts";

/** For what a button does: why it did not work is among the run's facts, where the page shows it. */
function act(action: Promise<unknown>): void {
  action.catch(() => {});
}

/** Time, so that ids sort, and chance, so that runs started in the same moment have their own. */
export function newRunId(): string {
  const [bits = 0] = crypto.getRandomValues(new BigUint64Array(1));
  return `run-${Date.now().toString(36)}-${bits.toString(36)}`;
}

/** Starts a run and resolves when it runs (or waits, if paused); rejects with the engine's sentence, or when it is given up for another. */
export async function startRun(config: RunConfigInput, paused = false): Promise<string> {
  const runId = newRunId();
  await untilRead(config);
  await engine.request({ type: "start", runId, config, paused });
  return runId;
}

/** Opens the way to a model, for starts that have none to begin with. */
function offerModel(error: unknown): never {
  if (error instanceof Refused && error.field === "checkpoint") openDialog("models");
  throw error;
}

let noteUses = (_config: RunConfig, _runId: string) => {};

/** Says who keeps rewards and tasks of one's own, and so is told of each run that uses some. */
export function noteUsesBy(note: (config: RunConfig, runId: string) => void): void {
  noteUses = note;
}

function noteOwn(config: RunConfig, runId: string | null): void {
  if (runId !== null && Object.keys({ ...config.customRewards, ...config.customTasks }).length > 0) noteUses(config, runId);
}

/** Starts what the draft describes; rejects when it does not begin. Its problems are shown beside their fields. */
export async function startDraft(paused = false): Promise<void> {
  const { catalog } = engine.facts.getState();
  if (!catalog) throw new Error("the engine is loading");
  const { draft } = useDraft.getState();
  const { input, config, problems } = resolveDraft(catalog, draft);
  if (!config) throw new InputError(problems);
  const runId = await startRun(input, paused).catch(offerModel);
  useDraft.setState({ applied: config, appliedPreset: draft.presetId });
  noteOwn(config, runId);
}

let mayStart = async (_config: RunConfig): Promise<boolean> => true;

/** Says who looks at a run before a button starts it, and may hold it back. */
export function looksFirstBy(look: typeof mayStart): void {
  mayStart = look;
}

/** Starts what the draft describes, as the buttons do: somebody may look at it first. */
async function startLookedAt(): Promise<void> {
  const { catalog } = engine.facts.getState();
  const config = catalog && resolveDraft(catalog, useDraft.getState().draft).config;
  if (config && !(await mayStart(config))) return;
  startSlowly();
  await startDraft();
}

/** Prepares the run of the draft and lets it wait before its first step. */
export function askFirst(): void {
  act(startDraft(true));
}

/** What the button of a run does next, by its name. */
export function nextAction(): TrainAction {
  const facts = engine.view.facts.getState();
  if (facts.recording) return { does: "resume", label: "Play" };
  const { applied } = useDraft.getState();
  return trainAction(facts, { isOther: isForNextRun(), steps: applied?.steps ?? null });
}

/** Does what the button of a run says. */
export function train(): void {
  const { state } = engine.view.facts.getState();
  if (state === "running" || state === "preparing") return;
  const action = nextAction();
  if (action.does === "start") act(startLookedAt());
  else {
    if (action.does === "extend") extend(action.more);
    engine.send({ type: "resume" });
  }
}

/** Whether there is so much of the run on screen that giving it up is asked about first. */
export function forgetsMuch(): boolean {
  const { facts, metrics } = engine.view;
  return hasRun() && isMuch(facts.getState().step, metrics.series("step_time").values);
}

/** For a task whose own settings are those of a logits table: its learning rate would wreck a transformer in one step. */
const OF_A_TRANSFORMER: RunConfigInput = { learningRate: 1e-3, promptsPerStep: 8, groupSize: 32 };

/**
 * After a supervised run: a new run that begins with its weights and learns the same task from rewards, by GRPO.
 * Resolves once it trains.
 */
export async function startFromHere(): Promise<void> {
  const { config } = engine.view.facts.getState();
  const { catalog } = engine.facts.getState();
  if (!config || !catalog) throw new Error("there is no run to continue");
  const { task, taskOptions, rewardWeights, seed, evalProblems, evalSamples, backend, threads } = config;
  const own = catalog.tasks.find(({ id }) => id === task)?.config.model === "tabular" ? OF_A_TRANSFORMER : {};
  const input = { task, taskOptions, rewardWeights, seed, evalProblems, evalSamples, backend, threads, algorithm: "grpo", ...own };
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

type AdvanceUnit = CommandOf<"advance">["unit"];

/**
 * Takes one step, one phase or one part of an update and resolves when it is over; starts a run first where there is
 * none. Rejects with why it is not.
 */
export async function advance(unit: AdvanceUnit): Promise<void> {
  const { state } = engine.view.facts.getState();
  if (!hasRun() || state === "idle" || state === "failed") await startDraft(true);
  const facts = engine.view.facts.getState();
  if (!facts.recording && isAtLimit(facts)) extend(1);
  await engine.request({ type: "advance", unit });
}

/** What the buttons of one step and one phase do. */
export function takeOne(unit: AdvanceUnit): void {
  if (engine.view.facts.getState().state !== "preparing") act(advance(unit));
}

export async function forgetRun(): Promise<void> {
  useDraft.setState({ applied: null, appliedPreset: "" });
  await engine.request({ type: "reset" });
}

export function reset(): void {
  act(forgetRun());
}

/** Ends the current run where there is one and starts the draft. */
export function restartWithChanges(): void {
  act(startLookedAt());
}

/** Asks for a step's groups, which arrive in its view; rejects with the engine's sentence. */
export async function inspect(step: number, promptIndex?: number): Promise<void> {
  await engine.request({ type: "inspect", step, ...(promptIndex === undefined ? {} : { promptIndex }) });
}

/** What of two configurations differs in what an answer earns and may be replaced on the way. */
function otherRewards(config: RunConfig, applied: RunConfig): LiveSettings {
  const keys = liveKeys.filter((key) => RECORDS.has(key));
  return Object.fromEntries(keys.filter((key) => !isSame(config[key], applied[key])).map((key) => [key, config[key]]));
}

/** Gives the run on screen the draft's rewards, from its next step on. */
export async function applyRewards(): Promise<void> {
  const { catalog } = engine.facts.getState();
  const { draft, applied } = useDraft.getState();
  const config = catalog ? resolveDraft(catalog, draft).config : null;
  if (!config || !applied) throw new Error("there is no run that could take them up");
  const settings = otherRewards(config, applied);
  await untilRead(settings);
  await engine.request({ type: "set", settings });
  noteOwn(config, engine.view.facts.getState().runId);
  useDraft.setState(({ applied: before }) => ({ applied: before ? { ...before, ...(settings as Partial<RunConfig>) } : null }));
}

export function giveRewards(): void {
  act(applyRewards());
}

/** Gives the run more steps. The setting stays as it is: it says how many a run is given, not how far this one went. */
function extend(more: number): void {
  const { step } = engine.view.facts.getState();
  engine.send({ type: "set", settings: { steps: step + more } });
}

/** Asks before a run is forgotten that has taken a step, since its save goes with it. */
export function resetOrAsk(): void {
  const { state, step } = engine.view.facts.getState();
  if (state === "idle") return;
  if (step > 0) openDialog("reset");
  else reset();
}

/** Starts what the form describes in the place of the run on screen; asks where there is much of that. */
export function restartOrAsk(): void {
  if (forgetsMuch()) openDialog("restart");
  else restartWithChanges();
}

/** What the button of a run says, after a question where that would put another run in its place. */
export function trainOrAsk(): void {
  if (nextAction().does === "start" && forgetsMuch()) openDialog("restart");
  else train();
}
