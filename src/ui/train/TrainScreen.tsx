// The Train screen: the settings where somebody has asked for them, charts, and the group the policy learns from. Before all that the first
// screen.
import { Suspense, useDeferredValue, useRef, useSyncExternalStore } from "react";
import { useIsLanding } from "../engine/landing.ts";
import { selectionText } from "../engine/store/selection.ts";
import { useEngine, useRun, useSelection } from "../engine/store/useRunView.ts";
import { FormFold } from "../kit/controls/Fold.tsx";
import { FaultBoundary } from "../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { usePreferences } from "../kit/remembered.ts";
import { Preparing } from "../step/group/NoGroup.tsx";
import { RunColumns, useChartsAhead } from "./chartsAhead.ts";
import { Landing } from "./Landing.tsx";
import { Welcome } from "./states.tsx";
import "./train.css";
import "../step/group/group.css";

/** The settings, which the first screen does not need. */
const ConfigPanel = lazyPart(() => import("../make/form/ConfigPanel.tsx"), "ConfigPanel");
const LinkedRun = lazyPart(() => import("../step/rollouts/LinkedRun.tsx"), "LinkedRun");

const NARROW = "(max-width: 899px)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Whether the page is too narrow for the configuration beside the charts. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}

/** @param isOpen whether it is unfolded where it folds away. */
function Configuration({ isNarrow, isOpen }: { readonly isNarrow: boolean; readonly isOpen: boolean }) {
  const isKnown = useEngine((facts) => facts.catalog !== null);
  const wait = <div className="config config-wait" aria-hidden="true" />;
  if (!isKnown) return wait;
  const panel = (
    <Suspense fallback={wait}>
      <ConfigPanel />
    </Suspense>
  );
  if (!isNarrow)
    return (
      <>
        <h2 className="visually-hidden">Configuration</h2>
        {panel}
      </>
    );
  return (
    <FormFold key={String(isOpen)} title="Configuration" isOpen={isOpen} level={2} className="config-fold">
      {panel}
    </FormFold>
  );
}

function Linked({ place }: { readonly place: string }) {
  return (
    <Suspense fallback={null}>
      <LinkedRun place={place} hasSettings isBesideForm />
    </Suspense>
  );
}

export function TrainScreen() {
  useChartsAhead();
  // Changing over to a run's charts is drawn in pieces, between other work.
  const newest = useRun((facts) => facts.runId);
  const runId = useDeferredValue(newest);
  const state = useRun((facts) => facts.state);
  // Before there is a run, only a link can have named a step.
  const place = useSelection(selectionText);
  const isNarrow = useIsNarrow();
  const isLanding = useIsLanding();
  const isAsked = usePreferences(({ form }) => form);
  // Whoever asks for the settings on the first screen wants to see them, not where they are.
  const hadLanding = useRef(false);
  if (isLanding) hadLanding.current = true;
  const hasForm = isAsked || (runId === null && state !== "preparing") || isNarrow;
  const hadRun = useRef(false);
  if (runId !== null) hadRun.current = true;
  if (isLanding)
    return (
      <>
        <h1 className="visually-hidden">Train</h1>
        <Landing isAfterRun={hadRun.current} />
      </>
    );
  return (
    <div className="train grid" data-empty={runId === null || undefined} data-formless={!hasForm || undefined}>
      <h1 className="visually-hidden">Train</h1>
      {hasForm && (
        <div className="train-config">
          <FaultBoundary part="The configuration">
            <Configuration isNarrow={isNarrow} isOpen={isAsked && hadLanding.current} />
          </FaultBoundary>
        </div>
      )}
      {runId === null ? (
        <div className="train-welcome">
          {state === "preparing" || newest !== null ? <Preparing /> : place !== null ? <Linked place={place} /> : <Welcome />}
        </div>
      ) : (
        <FaultBoundary part="The run" wait="Opening the run …">
          <RunColumns />
        </FaultBoundary>
      )}
    </div>
  );
}
