// A conversation as the code of a frame, with what it earned and the run that it is of.
import { rewardText } from "../../../export/reportOf.ts";
import { saidText } from "../../../export/writtenRun.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { runCaption } from "../../../rl/summary/runName.ts";
import { openConversationFrame } from "../../charts/frame/openFrame.ts";
import { engine } from "../../client.ts";
import type { RunView } from "../../store/runView.ts";

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
  openConversationFrame(`Step ${step}, completion ${index + 1}`, sample, runCaption(catalog, { runId, config }));
}
