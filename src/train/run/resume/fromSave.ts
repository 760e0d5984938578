// The ways from a save to the run that an engine has: going on with the run, going on from one of its earlier steps as
// another run, and looking at it without building it.
import type { CommandOf } from "../../../protocol/commands.ts";
import type { CommandHandlers, RunRecords, StepGroups } from "../../../protocol/messages.ts";
import { isRecord } from "../../../protocol/problems.ts";
import type { StoredSave } from "../../host.ts";
import { alternativesOf } from "../../queries/alternatives.ts";
import { probesOf } from "../../queries/probes.ts";
import { readImported } from "../../save/importedSave.ts";
import { encodeGroups, groupsFile } from "../../save/kept/groupFile.ts";
import { readSave, recordsOfSave } from "../../save/readSave.ts";
import { fittedRollout } from "../../save/rollout/fittedRollout.ts";
import { dataFiles } from "../../save/rollout/heldData.ts";
import { placeIn, ROLLOUT_ENDING, unpackFiles } from "../../save/rollout/packedFiles.ts";
import { keepsCheckpoint, rolloutOf } from "../../save/rollout/rolloutOf.ts";
import { lastStep, type SavedRecords, type SavedState } from "../../save/savedState.ts";
import { planRun, type RunFiles } from "../../start/plan.ts";
import type { CurrentRun } from "../currentRun.ts";
import { RunDriver } from "../driver.ts";
import { exportSave, inherited } from "../keep/takenCheckpoint.ts";
import { RecordedDriver } from "../recorded/recorded.ts";
import { promptsOf, type Recording, recordingOf } from "../recorded/recording.ts";
import { tracedRecording } from "../recorded/traced.ts";
import { forkedState } from "./forkedState.ts";

/** The run of this id that trains here, if it does. */
function ownRun(current: CurrentRun, runId: string): RunDriver | null {
  const { driver } = current;
  return driver instanceof RunDriver && driver.run.runId === runId ? driver : null;
}

const planned = (saved: SavedState): RunFiles => ({ config: { ...saved.config, ...saved.settings }, saved });

/** A copy names the run it was made of; checkpoints beside the last one stay with that. */
function copyOf({ checkpoints: _, ...saved }: SavedState, runId: string): SavedState {
  return { ...saved, parent: { runId, step: lastStep(saved) } };
}

function savedAtOf(stored: StoredSave | undefined): number | undefined {
  const { summary } = stored ?? {};
  return isRecord(summary) && typeof summary.savedAt === "number" ? summary.savedAt : undefined;
}

/** Goes on with a saved run, or with a copy of it. */
async function continueRun(current: CurrentRun, { runId, paused, backend, threads, copyAs }: CommandOf<"continue">): Promise<void> {
  const own = ownRun(current, runId);
  const isGoing = current.isGoing;
  if (own && copyAs === undefined) await own.halt();
  await own?.autosave.stored();
  const save = own || copyAs !== undefined ? null : await current.saves.open(runId);
  try {
    const saved = await current.saves.read(runId);
    const { config, ...files } = planned(copyAs === undefined ? saved : copyOf(saved, runId));
    const savedAt = copyAs === undefined ? savedAtOf(await current.saves.stored(runId)) : undefined;
    const chosen = { ...config, ...(backend === undefined ? {} : { backend }), ...(threads === undefined ? {} : { threads }) };
    await current.start(
      copyAs ?? runId,
      { ...files, ...(savedAt === undefined ? {} : { savedAt }), config: chosen },
      save,
      paused ?? false,
      isGoing,
    );
  } catch (error) {
    save?.close();
    if (isGoing && !current.isPreparing && own === current.driver) own?.goOn();
    throw error;
  }
}

/** A configuration with the weights of the run that stands here. */
export function filesInheriting(driver: RunDriver | RecordedDriver, config: CommandOf<"start">["config"]): Promise<RunFiles> {
  if (driver instanceof RecordedDriver) return driver.read();
  if (driver.state.state === "running") throw new Error("the run is going: pause it before another begins with its weights");
  return driver.read((run) => inherited(run, config));
}

/** Deletes a save, but that of the run which trains here. */
async function deleteSave(current: CurrentRun, runId: string): Promise<void> {
  if (ownRun(current, runId)) throw new Error(`the run ${runId} is open here: reset it to delete its save`);
  await current.saves.remove(runId);
}

/** Writes on a saved run what somebody calls it; the run itself goes on as it does. */
async function labelRun(current: CurrentRun, { runId, label }: CommandOf<"label">): Promise<void> {
  // One that has just begun may not be stored yet.
  await ownRun(current, runId)?.autosave.stored();
  await current.saves.label(runId, label);
}

/** The recording that is shown. */
function recordingIn(current: CurrentRun): RecordedDriver {
  const { driver } = current;
  if (!(driver instanceof RecordedDriver)) throw new Error("no recording is shown: open one first");
  return driver;
}

/** A saved run, as far as it is wanted. */
interface FoundRun {
  records(): Promise<SavedRecords>;
  /** With its weights. */
  whole(): Promise<SavedState>;
  /** The same where the last weights may be missing. */
  earlier(): Promise<SavedState>;
}

/**
 * A run: the recording that stands here, else its save. What trains here is stored first; where nothing is stored it is
 * asked for its save.
 */
async function foundRun(current: CurrentRun, runId: string): Promise<FoundRun> {
  const { driver } = current;
  if (driver instanceof RecordedDriver && driver.run.runId === runId) {
    const { saved, whole, traced } = driver.recording;
    if (traced) throw new Error(`${traced.report.title} cannot leave as a run of the lab: there are no settings or weights of it`);
    return { records: async () => saved, whole, earlier: whole };
  }
  const own = ownRun(current, runId);
  await own?.autosave.stored();
  const { saves, host } = current;
  if (!own || host.store)
    return { records: () => saves.records(runId), whole: () => saves.read(runId), earlier: () => saves.readEarlier(runId) };
  const whole = async () => readSave(runId, unpackFiles((await own.atRest(exportSave)).bytes));
  return { records: whole, whole, earlier: whole };
}

/** The groups of a step with the likeliest tokens around the one on screen, where the model can still be asked for them. */
async function withAlternatives(
  own: RunDriver | null,
  groups: StepGroups["groups"],
  { tokenIndex: index, ...place }: NonNullable<CommandOf<"export-rollout">["shown"]>,
): Promise<StepGroups["groups"]> {
  if (!own || index === undefined) return groups;
  const found = await own.atRest((run) => alternativesOf(run, { ...place, index })).catch(() => null);
  if (!found) return groups;
  const alternatives = { places: found.places, rows: found.alternatives_T.slice(...found.places) };
  return groups.map((group) => ({
    ...group,
    trajectories: group.trajectories.map((each, member) =>
      group.promptIndex === place.promptIndex && member === place.trajectoryIndex ? { ...each, alternatives } : each,
    ),
  }));
}

/** What a run keeps, and the step that is looked at as the page or the engine has it. */
async function keptWith(current: CurrentRun, runId: string, { kept, config }: SavedRecords, { shown, here }: CommandOf<"export-rollout">) {
  if (!shown) return kept;
  const { step } = shown;
  const own = ownRun(current, runId);
  // What was measured of it since it was kept is there too.
  const known = here ? { ...here, step, oldestStep: step } : await own?.inspect(step).catch(() => null);
  if (known?.phase !== "update" && known?.phase !== "evaluate") return kept;
  const packed = encodeGroups({ ...known, groups: await withAlternatives(own, known.groups, shown) }, config);
  if (!packed) return kept;
  const others = kept.filter((each) => each.step !== step);
  return [...others, { step, file: await groupsFile(step, packed) }].sort((a, b) => a.step - b.step);
}

/** A run as one file to hand on. */
async function exportRollout(current: CurrentRun, request: CommandOf<"export-rollout">) {
  const { runId, checkpoint = false, mostBytes, shown, isOverTime = false, place } = request;
  const wanted = runId ?? current.runId ?? undefined;
  if (wanted === undefined) throw new Error("there is no run: start one, or name a saved one by its runId");
  const found = await foundRun(current, wanted);
  const records = await found.records();
  const whole = keepsCheckpoint(records, { checkpoint }) ? await found.whole() : { ...records, checkpoint: null };
  const saved = { ...whole, kept: await keptWith(current, wanted, whole, request) };
  const label = (await current.saves.stored(wanted))?.label;
  const name = `${wanted}${ROLLOUT_ENDING}`;
  const choice = { checkpoint, ...(label ? { label } : {}), ...(place ? { place } : {}) };
  if (mostBytes !== undefined)
    return { name, ...(await fittedRollout(wanted, saved, { ...choice, mostBytes, isOverTime, ...(shown ? { shown } : {}) })) };
  const data = await dataFiles(saved.config, current.host.contents);
  return { name, bytes: rolloutOf(wanted, saved, { ...choice, data }), extent: null };
}

/** What a run has recorded, for somebody who compares it with others. */
async function comparedRecords(current: CurrentRun, { runId }: CommandOf<"records">): Promise<RunRecords> {
  const saved = await (await foundRun(current, runId)).records();
  const { config, steps, evaluations, baselines, probes } = saved;
  const prompts = await promptsOf(config, current.host);
  const probed = typeof prompts === "string" ? null : probesOf({ ...prompts, probes: [...probes] });
  return { config, steps, evaluations, baselines, probed };
}

/** Goes on from an earlier step of a run, under other settings, as a run of its own. */
async function forkRun(current: CurrentRun, { runId, step, settings, forkAs, paused }: CommandOf<"fork">): Promise<void> {
  if (forkAs === runId) throw new Error(`forkAs must be another name than the run's own, got ${forkAs}`);
  const isGoing = current.isGoing;
  const saved = await (await foundRun(current, runId)).earlier();
  const forked = { ...(await forkedState(saved, step, settings ?? {})), parent: { runId, step } };
  await current.start(forkAs, planned(forked), null, paused ?? false, isGoing);
}

/**
 * What is opened to be looked at: a save that is kept here, or one that was brought.
 * @param onFirst hears of a beginning that can be shown
 */
async function openedRecording(
  current: CurrentRun,
  { runId, files, traces }: CommandOf<"open">,
  onFirst: (recording: Recording) => void,
): Promise<Recording> {
  const given = [runId, files, traces].filter((each) => each !== undefined).length;
  if (given !== 1) throw new Error("open needs one of these: the runId of a saved run, its files, or files of rollouts as traces");
  if (traces) return tracedRecording(traces, (event) => current.send(event), current.host, onFirst);
  const { host, saves } = current;
  if (runId !== undefined) {
    const { driver } = current;
    if (driver instanceof RecordedDriver && driver.run.runId === runId) return driver.recording;
    await ownRun(current, runId)?.autosave.stored();
    return recordingOf(runId, await saves.records(runId), () => saves.readEarlier(runId), null, host);
  }
  const imported = readImported(files ?? []);
  const saved = readSave(imported.runId, imported.files);
  return recordingOf(imported.runId, recordsOfSave(saved), async () => saved, placeIn(imported.files), host);
}

/** Opens and shows, what is long by its beginning first. */
export async function openInTurn<T>(
  current: CurrentRun,
  command: CommandOf<"open">,
  show: (recording: Recording) => Promise<T>,
): Promise<T> {
  let shown: Promise<unknown> = Promise.resolve();
  const recording = await openedRecording(current, command, (first) => {
    // Whoever was overtaken hears so of the whole.
    shown = show(first).catch(() => {});
  });
  await shown;
  return show(recording);
}

/** The commands that are about saved runs. */
export function saveHandlers(current: CurrentRun) {
  return {
    continue: (command) => continueRun(current, command),
    fork: (command) => forkRun(current, command),
    seek: ({ step, speed }) => recordingIn(current).seek(step, speed),
    "export-rollout": (request) => exportRollout(current, request),
    records: (command) => comparedRecords(current, command),
    label: (command) => labelRun(current, command),
    "list-saves": () => current.saves.tell(),
    "delete-save": ({ runId }) => deleteSave(current, runId),
    "read-save": ({ runId }) => current.saves.download(runId),
    "add-save": ({ files }) => current.saves.add(files, (run) => void planRun(run, current.host.additions)),
  } satisfies Partial<CommandHandlers>;
}
