// Stands over the page while a start waits for the first step of a run of one's own, and where that step could teach nothing.
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { trainOrAsk } from "../../engine/actions.ts";
import { edit } from "../../engine/draftActions.ts";
import { useResolvedDraft } from "../../engine/store/draft/useDraftFacts.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Problem } from "../../kit/controls/States.tsx";
import { Frame } from "../../kit/dialog/Frame.tsx";
import { useTriedFirst } from "../customize/customizeStore.ts";
import { TriedStepView, TryProgress } from "./TriedStepView.tsx";
import { settleStart } from "./tried.ts";

/** Takes up a remedy, and tries the run with it. */
function takeRemedy(settings: Partial<RunConfig>): void {
  settleStart(false);
  for (const [key, value] of Object.entries(settings)) edit(key as RunConfigKey, value);
  trainOrAsk();
}

export function BeforeDialog() {
  const { going, tried, problem } = useTriedFirst();
  const config = useResolvedDraft()?.config;
  const stay = () => settleStart(false);
  return (
    <Frame title={going ? "A test before the first step" : "This run would learn nothing yet"} isOpen onClose={stay}>
      <div className="stack">
        {going && <TryProgress going={going} />}
        {going && (
          <p className="aside">
            The page tries your run once before it starts: do its answers earn anything, and do they end? Nothing of this test is saved.
          </p>
        )}
        <Problem text={problem} isOfField />
        {config && tried && <TriedStepView config={config} tried={tried} onRemedy={takeRemedy} />}
        <div className="dialog-end">
          <Button onPress={stay}>{going ? "Do not start" : "Change something first"}</Button>
          <Button onPress={() => settleStart(true)}>{going ? "Start without it" : "Train all the same"}</Button>
        </div>
      </div>
    </Frame>
  );
}
