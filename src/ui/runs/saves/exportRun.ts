// The run on screen in every form that the command line writes it in, by the same functions: what the page holds of its records, with
// the conversations of those steps that the engine still keeps, and the model and the save as the engine gives them.

import { type Form, forms } from "../../../export/forms.ts";
import { trajectoryLines } from "../../../export/trajectoryLines.ts";
import { conversationOf, subjectOf, type WrittenRun } from "../../../export/writtenRun.ts";
import type { ModelFile } from "../../../protocol/messages.ts";
import { paidParts } from "../../../protocol/run/paidParts.ts";
import { zipOf } from "../../../protocol/run/zip.ts";
import { engine } from "../../engine/client.ts";
import { saveFile } from "../../kit/files.ts";

/** Conversations of a step that are written down, as the command line does. */
const MOST_OF_A_STEP = 64;

/** The first step, those that were evaluated and the last, as far as they can be looked at. */
export function writtenSteps(here: readonly number[], evaluated: ReadonlySet<number>): readonly number[] {
  return here.filter((step, i) => i === 0 || i === here.length - 1 || evaluated.has(step));
}

async function conversations(): Promise<readonly unknown[]> {
  const { groups, facts } = engine.view;
  const { evaluations, config } = facts.getState();
  if (config?.kind === "supervised") return [];
  const { latestStep, oldestStep, recordedSteps } = groups;
  // A recording says of no step that it is the oldest.
  const oldest = Math.max(1, oldestStep);
  const kept = latestStep === null ? [] : Array.from({ length: latestStep - oldest + 1 }, (_, i) => oldest + i);
  const here = [...new Set([...recordedSteps, ...kept])].sort((a, b) => a - b);
  const lines: unknown[] = [];
  for (const step of writtenSteps(here, new Set(evaluations.map((each) => each.step)))) {
    const recorded = groups.isRecord(step) ? groups.at(step) : null;
    // A step that is let go of meanwhile is left out, as others before it were.
    const whole = recorded ?? (await engine.request({ type: "inspect", step }).catch(() => null));
    // What is on its way has no verdict yet.
    if (whole && (whole.phase === "update" || whole.phase === "evaluate")) lines.push(...trajectoryLines(whole, MOST_OF_A_STEP));
  }
  return (JSON.parse(JSON.stringify(lines)) as unknown[]).map(conversationOf);
}

/** Seconds since 1970 at which a run began: a run of this page carries it in its name, of another it is reckoned back from now. */
function begunOf(runId: string, seconds: number): number {
  const named = /^run-([0-9a-z]{8})-/.exec(runId)?.[1];
  return (named === undefined ? Date.now() - 1000 * seconds : Number.parseInt(named, 36)) / 1000;
}

async function writtenRun(): Promise<WrittenRun> {
  const { runId, config, evaluations, baselines } = engine.view.facts.getState();
  const { catalog } = engine.facts.getState();
  if (runId === null || config === null || catalog === null) throw new Error("there is no run to export");
  const steps = engine.view.metrics.records();
  const seconds = steps.reduce((sum, { metrics }) => sum + (metrics.step_time ?? 0), 0);
  const begun = begunOf(runId, seconds);
  const recorded = { config, steps, evaluations, baselines, rewards: paidParts(config, catalog), conversations: await conversations() };
  return { ...recorded, runId, subject: subjectOf(config, catalog), begun, begunAt: new Date(1000 * begun).toISOString() };
}

/** One file as it is, several as one archive. */
function save(name: string, files: readonly ModelFile[]): void {
  const [first] = files;
  const only = files.length === 1 && first && !first.name.includes("/") ? first : null;
  const archive = () =>
    zipOf(
      files.map((file) => [file.name, file.bytes]),
      () => false,
    );
  saveFile(only?.name ?? `${name}.zip`, new Blob([(only ? only.bytes : archive()) as Uint8Array<ArrayBuffer>]));
}

/** Hands the run to the browser's downloads in one of the forms; rejects with why it has not that form. */
export async function exportAs({ name, isOfConversations, files }: Pick<Form, "name" | "isOfConversations" | "files">): Promise<void> {
  const run = await writtenRun();
  if (isOfConversations && run.conversations?.length === 0) throw new Error("no conversations of this run are saved");
  save(`${run.runId}-${name}`, files(run));
}

/** The policy as a Hugging Face folder. */
export async function exportModel(): Promise<void> {
  const { runId } = engine.view.facts.getState();
  save(`${runId}-hf`, await engine.request({ type: "export-model" }));
}

/** The report alone, which is one page. */
export async function exportReport(): Promise<void> {
  const report = forms.find(({ name }) => name === "report");
  if (!report) throw new Error("internal: there is no report");
  await exportAs(report);
}
