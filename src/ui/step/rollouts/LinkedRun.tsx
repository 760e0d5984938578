// A link was opened and its run is not here, because no link holds one: what it leads to, and how to come there.

import { useState } from "react";
import { beginsWithRun } from "../../../protocol/config/configFacts.ts";
import { errorText } from "../../../protocol/problems.ts";
import { startDraft } from "../../engine/actions.ts";
import { useDraftQuery } from "../../engine/address/addressSync.ts";
import { useHash } from "../../engine/address/hash.ts";
import { engine } from "../../engine/client.ts";
import { hashOf, parseRoute } from "../../engine/route.ts";
import { openAtPlace } from "../../engine/saves/saveActions.ts";
import { sortedSaves, stepText } from "../../engine/saves/saveTexts.ts";
import { useCanStart, useResolvedDraft } from "../../engine/store/draft/useDraftFacts.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { trainTo } from "../again/StepNotHere.tsx";

/**
 * Trains the run of the form, which the link has filled, up to the step that the link names, which a fast run would
 * have forgotten by its end.
 */
async function trainLinked(): Promise<void> {
  const place = engine.view.selection.getState();
  await startDraft(true);
  // A run that begins lets go of what was selected of the one before.
  engine.view.selection.setState(place);
  if (place.step !== null) await trainTo(place.step);
}

/** The recording that is offered: sums, at its end. */
const RECORDING = { example: "arithmetic", at: "step=40" } as const;

/** Where there is no run: the newest saved one, and one of the recordings that come with the page. */
export function OfferedRuns() {
  const { screen } = parseRoute(useHash());
  const saves = useEngine((facts) => facts.saves);
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const newest = sortedSaves(saves ?? []).find(({ config, step }) => config !== null && step > 0);
  const recording = new URLSearchParams({ screen, ...RECORDING });
  return (
    <div className="actions">
      {newest && (
        <Button isDisabled={!isUp} onPress={() => void openAtPlace(newest.runId)}>
          Open {newest.name}, {stepText(newest)}
        </Button>
      )}
      {(saves?.length ?? 0) > 1 && <a href={hashOf("runs")}>All saved runs</a>}
      <a href={`#/replay?${recording}`}>See a recorded run</a>
    </div>
  );
}

interface LinkedRunProps {
  /** "step 12, prompt 2, completion 4". */
  readonly place: string;
  /** Whether the address says the settings of the run. */
  readonly hasSettings: boolean;
  /** Whether the settings are in sight already. */
  readonly isBesideForm?: boolean;
}

export function LinkedRun({ place, hasSettings, isBesideForm = false }: LinkedRunProps) {
  const isUp = useEngine((facts) => facts.status === "ready");
  const canStart = useCanStart();
  const query = useDraftQuery();
  const config = useResolvedDraft()?.config ?? null;
  // Another run's weights are in no settings.
  const isInherited = config !== null && beginsWithRun(config);
  const canTrain = hasSettings && !isInherited;
  const [problem, setProblem] = useState<string | null>(null);
  const begin = () => {
    trainLinked().catch((error: unknown) => setProblem(errorText(error)));
  };
  return (
    <section className="instead">
      <h1>A run that is not here</h1>
      <p>
        This link leads to {place} of a run.{" "}
        {hasSettings && isInherited
          ? "The link holds the settings of that run. But the run began with the weights of another run, and a link cannot hold weights, so you cannot train it again from here."
          : hasSettings
            ? "The link holds the settings of that run, not the run itself. If you train it again here, the same settings and seed give the same rollouts (exactly the same numbers on the same backend). It pauses at this place, and you can then continue."
            : "The link names neither the run nor its settings, and this page has no run. If it leads to rollouts of another program, drop their files on this page again."}
      </p>
      {problem && <p role="alert">{problem}</p>}
      <div className="actions">
        {canTrain && (
          <Button kind="primary" className="button-large" isDisabled={!isUp || !canStart} onPress={begin}>
            Train it and open this place
          </Button>
        )}
        {!isBesideForm && (
          <a className="button button-large" href={hashOf("train", query)}>
            {hasSettings ? "See its settings" : "Go to Train"}
          </a>
        )}
      </div>
      {!hasSettings && <OfferedRuns />}
    </section>
  );
}
