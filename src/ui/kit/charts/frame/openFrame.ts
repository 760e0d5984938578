// The code of a frame that holds a chart or a conversation whole, to be pasted into a page or a slide: made by what the command line publishes with.
import { create } from "zustand";
import { chartEmbed, conversationEmbed, type Embed, frameCode } from "../../../../export/page/embed.ts";
import { rewardText } from "../../../../export/page/reportOf.ts";
import { saidText } from "../../../../export/writtenRun.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { runCaption } from "../../../../rl/summary/runName.ts";
import { engine } from "../../../engine/client.ts";
import { openDialog } from "../../../engine/dialogStore.ts";
import type { RunView } from "../../../engine/store/runView.ts";
import type { LevelLine, Series, StepRange } from "../series/series.ts";

export const useFrame = create<{ readonly title: string; readonly code: string }>()(() => ({ title: "", code: "" }));

function open({ title, html, height }: Embed): void {
  useFrame.setState({ title, code: frameCode({ srcdoc: html }, title, height) });
  openDialog("frame");
}

/** Lines that a frame tells apart; a race of more shows its first. */
const MOST_LINES = 3;

interface ShownChart {
  readonly title: string;
  readonly isShare: boolean;
  readonly series: readonly Series[];
  readonly levels: readonly LevelLine[];
  /** What is looked at; null for all of it. */
  readonly range: StepRange | null;
}

/** Shows the code for a chart as it is looked at: its values as they were recorded, not smoothed. @param caption the run in words. */
export function openChartFrame({ title, isShare, series, levels, range }: ShownChart, caption: string): void {
  const lines = series.slice(0, MOST_LINES).map(({ label, xs, ys }) => {
    const indices = Array.from(xs, (_, i) => i).filter((i) => !range || (xs[i]! >= range[0] && xs[i]! <= range[1]));
    return { ...(series.length > 1 ? { name: label } : {}), xs: indices.map((i) => xs[i]!), ys: indices.map((i) => ys[i]!) };
  });
  const [first, ...others] = lines;
  if (!first) return;
  open(chartEmbed({ title, isShare, ...first, others, levels: levels.map(({ label, value }) => [label, value] as const) }, { caption }));
}

/** Shows the code for a member of a group. @param view the run's, which may be a racer's. */
export function openTrajectoryFrame(view: RunView, { step, messages, trajectories }: GroupRecord, index: number): void {
  const trajectory = trajectories[index];
  const { catalog } = engine.facts.getState();
  const { runId, config } = view.facts.getState();
  if (!trajectory || !catalog || !config || runId === null) return;
  const said = [...(trajectory.opening ?? messages), ...trajectory.messages].map((message) => {
    const [role, content] = saidText(message);
    return { role, content };
  });
  const sample = { verdict: rewardText({ step, ...trajectory }), messages: said };
  open(conversationEmbed(`Step ${step}, completion ${index + 1}`, sample, { caption: runCaption(catalog, { runId, config }) }));
}
