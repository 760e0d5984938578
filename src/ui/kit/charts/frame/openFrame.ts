// The code of a frame that holds a chart or a conversation whole, to be pasted into a page or a slide: made by what the
// command line publishes with.
import { chartEmbed, conversationEmbed, type Embed, frameCode } from "../../../../export/page/embed.ts";
import { rewardText } from "../../../../export/page/reportOf.ts";
import { saidText } from "../../../../export/writtenRun.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { openDialog, useDialog } from "../../dialog/dialogStore.ts";
import type { LevelLine, Series, StepRange } from "../series/series.ts";

function open({ title, html, height }: Embed): void {
  useDialog.setState({ frame: { title, code: frameCode({ srcdoc: html }, title, height) } });
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

/** Shows the code for a member of a group. @param caption the run in words. */
export function openTrajectoryFrame({ step, messages, trajectories }: GroupRecord, index: number, caption: string): void {
  const trajectory = trajectories[index];
  if (!trajectory) return;
  const said = [...(trajectory.opening ?? messages), ...trajectory.messages].map((message) => {
    const [role, content] = saidText(message);
    return { role, content };
  });
  const sample = { verdict: rewardText({ step, ...trajectory }), messages: said };
  open(conversationEmbed(`Step ${step}, completion ${index + 1}`, sample, { caption }));
}
