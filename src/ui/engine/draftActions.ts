// What the form does: each edit makes another draft of the run to come, and what may change while a run goes on reaches it at once.
import type { Catalog } from "../../protocol/catalog.ts";
import { type LiveSettings, liveKeys, RECORDS } from "../../protocol/config/configFacts.ts";
import type { RunConfig, RunConfigKey } from "../../protocol/config.ts";
import type { CustomTaskInput } from "../../protocol/custom/customTasks.ts";
import { engine } from "./client.ts";
import { type Draft, draftOf, resolveDraft, withEdit, withEntry } from "./store/draft/draftConfig.ts";
import { isOfTheRun, redoDraft, setDraft, undoDraft, useDraft } from "./store/draft/draftStore.ts";
import { type RewardEntries, type RewardRecord, withoutReward, withReward } from "./store/draft/rewardDraft.ts";
import { withOwnTask } from "./store/draft/taskDraft.ts";

/** Whether a run is there to go on with. */
export function hasRun(): boolean {
  return engine.view.facts.getState().runId !== null;
}

/** Whether the form describes a run to come, which its changes are for. */
export function isForNextRun(): boolean {
  const { catalog } = engine.facts.getState();
  const facts = useDraft.getState();
  const config = catalog ? resolveDraft(catalog, facts.draft).config : null;
  return config !== null && facts.applied !== null && !isOfTheRun(facts, config);
}

function applyLive(settings: LiveSettings): void {
  engine.send({ type: "set", settings });
  useDraft.setState(({ applied }) => ({ applied: applied ? { ...applied, ...(settings as typeof applied) } : null }));
}

/** Rewards are tried first and applied by whoever says so; the rest follows the form. */
const FOLLOWING = liveKeys.filter((key) => !RECORDS.has(key));

/** Sends what may change at once while a run of the same kind is there; the rest waits for a restart. */
function pushLive(draft: Draft): void {
  const { catalog } = engine.facts.getState();
  const { state } = engine.view.facts.getState();
  const facts = useDraft.getState();
  const { applied } = facts;
  const config = catalog ? resolveDraft(catalog, draft).config : null;
  if (!config || !applied || !isOfTheRun(facts, config) || !hasRun() || state === "failed") return;
  const changed = FOLLOWING.filter((key) => config[key] !== applied[key]);
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
  const draft = draftOf(catalog, plain);
  // The form says options that the run leaves at their defaults where its preset has others.
  const { taskOptions } = resolveDraft(catalog, draft).config ?? plain;
  useDraft.setState({ draft, past: [], future: [], applied: { ...plain, taskOptions }, appliedPreset: draft.presetId });
}

/** The form shows what a recording's run was begun with; nothing of it is for the recording. */
export function showRecordedConfig(): void {
  const { catalog } = engine.facts.getState();
  const { config } = engine.view.facts.getState();
  if (!catalog || !config) return;
  showConfig(catalog, config);
  useDraft.setState({ applied: null, appliedPreset: "" });
}

/** Sets one option of the task or one reward weight. */
export function editEntry(record: "taskOptions" | "rewardWeights", name: string, value: number | string | boolean): void {
  setDraft(withEntry(useDraft.getState().draft, record, name, value));
}

/** Replaces the draft by one made of it, as the form of rewards does; none of what it sets is live. */
export function changeDraft(change: (draft: Draft) => Draft): void {
  setDraft(change(useDraft.getState().draft));
}

/** Sets an entry of what rewards are made of; null takes it out. */
export function editReward<R extends RewardRecord>(record: R, name: string, entry: RewardEntries[R] | null): void {
  const { catalog } = engine.facts.getState();
  if (!catalog) return;
  changeDraft((draft) => (entry === null ? withoutReward(catalog, draft, record, name) : withReward(catalog, draft, record, name, entry)));
}

/** Changes the draft's task of one's own; where it has none, what comes of the change becomes one. */
export function changeOwnTask(change: (own: CustomTaskInput) => CustomTaskInput): void {
  const { catalog } = engine.facts.getState();
  if (catalog) changeDraft((draft) => withOwnTask(catalog, draft, change));
}

export function choosePreset(presetId: string): void {
  setDraft({ presetId, edits: {} });
  pushLive(useDraft.getState().draft);
}

export function undo(): void {
  undoDraft();
  pushLive(useDraft.getState().draft);
}

export function redo(): void {
  redoDraft();
  pushLive(useDraft.getState().draft);
}
