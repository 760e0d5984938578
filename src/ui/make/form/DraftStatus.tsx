// What stands between the form and the run on screen: what must be mended first, what waits for a restart,
// or that all of it is for the next run.

import { liveKeys, RECORDS } from "../../../protocol/config/configFacts.ts";
import { giveRewards, restartOrAsk } from "../../engine/actions.ts";
import { useRunName } from "../../engine/saves/saveTexts.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { useDraftView } from "./draftView.ts";

/** Records that a run takes up between two steps. */
const REPLACED: ReadonlySet<string> = new Set(liveKeys.filter((key) => RECORDS.has(key)));

/** The button goes away with the changes that it applies. */
function restart(): void {
  focusTransport("train");
  restartOrAsk();
}

export function DraftStatus() {
  const view = useDraftView();
  const state = useRun((facts) => facts.state);
  const name = useRunName();
  const isLive = useRun((facts) => facts.runId !== null && facts.recording === null);
  const isUp = useEngine((facts) => facts.status === "ready") && state !== "preparing";
  if (view.wrong.length > 0)
    return (
      <div className="config-status" role="status">
        <p>Before it can start:</p>
        <ul>
          {view.wrong.map((sentence) => (
            <li key={sentence}>{sentence}.</li>
          ))}
        </ul>
      </div>
    );
  if (view.isForNext)
    return (
      <div className="config-status" role="status">
        <p>
          These settings are for the next run. {name} {state === "running" ? "goes on" : "stays"} as it is.
        </p>
        <Button kind="primary" isDisabled={!isUp} onPress={restart}>
          Start the next run
        </Button>
      </div>
    );
  if (view.waiting.length === 0) return null;
  // Rewards may be replaced on the way; with anything else beside them the run is another one.
  const canApply = state !== "failed" && isLive && view.waiting.every((name) => REPLACED.has(name.split(".")[0] ?? ""));
  const count = view.waiting.length === 1 ? "1 change applies" : `${view.waiting.length} changes apply`;
  return (
    <div className="config-status" role="status">
      <p>{count} on restart.</p>
      {canApply && (
        <Button isDisabled={!isUp} onPress={giveRewards} hint="The run goes on; the change stands in its history">
          Apply from the next step
        </Button>
      )}
      <Button kind="primary" isDisabled={!isUp} onPress={restart}>
        Restart with changes
      </Button>
    </div>
  );
}
