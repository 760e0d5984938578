// The Train screen: configuration, charts, and the group the policy learns from.
import { Suspense, useDeferredValue, useSyncExternalStore } from "react";
import { Disclosure, DisclosurePanel } from "react-aria-components";
import { inspect } from "../actions.ts";
import { AskFold } from "../ask/AskFold.tsx";
import { FoldHead } from "../controls/FoldHead.tsx";
import { lazyPart } from "../lazyPart.tsx";
import { FaultBoundary } from "../shell/FaultBoundary.tsx";
import { useEngine, useRun, useSelection } from "../store/useRunView.ts";
import { ConfigPanel } from "./ConfigPanel.tsx";
import { Charts, useChartsAhead } from "./chartsAhead.ts";
import { EvaluatePanel } from "./EvaluatePanel.tsx";
import { EvaluationReadouts } from "./Evaluation.tsx";
import { GroupPanel } from "./GroupPanel.tsx";
import { useShownExamples, useShownGroup } from "./shownGroup.ts";
import { NoGroup, Preparing, Welcome } from "./states.tsx";
import "./train.css";
import "./group.css";

const ExamplesPanel = lazyPart(
  () => import("./ExamplesPanel.tsx"),
  (module) => module.ExamplesPanel,
);

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

function Configuration() {
  const catalog = useEngine((facts) => facts.catalog);
  const narrow = useIsNarrow();
  if (!catalog) return <div className="config config-wait" aria-hidden="true" />;
  if (!narrow)
    return (
      <>
        <h2 className="visually-hidden">Configuration</h2>
        <ConfigPanel catalog={catalog} />
      </>
    );
  return (
    <Disclosure className="fold config-fold">
      <FoldHead level={2}>Configuration</FoldHead>
      <DisclosurePanel>
        <ConfigPanel catalog={catalog} />
      </DisclosurePanel>
    </Disclosure>
  );
}

/** Drawn between other work: many rows must not hold up the controls. */
function CurrentGroup() {
  const shown = useDeferredValue(useShownGroup());
  return shown ? <GroupPanel shown={shown} onInspect={inspect} /> : <NoGroup />;
}

function CurrentExamples() {
  const shown = useDeferredValue(useShownExamples());
  return shown ? (
    <Suspense fallback={<p className="screen-wait">Opening the examples …</p>}>
      <ExamplesPanel shown={shown} />
    </Suspense>
  ) : (
    <NoGroup />
  );
}

export function TrainScreen({ onShowSaves }: { readonly onShowSaves: () => void }) {
  useChartsAhead();
  // Changing over to a run's charts is drawn in pieces, between other work.
  const runId = useDeferredValue(useRun((facts) => facts.runId));
  const state = useRun((facts) => facts.state);
  const kind = useRun((facts) => facts.config?.kind);
  const chosen = useSelection((selection) => selection.phase);
  return (
    <div className="train" data-empty={runId === null || undefined}>
      <h1 className="visually-hidden">Train</h1>
      <div className="train-config">
        <FaultBoundary part="The configuration">
          <Configuration />
        </FaultBoundary>
      </div>
      {runId === null ? (
        <div className="train-welcome">{state === "preparing" ? <Preparing /> : <Welcome onShowSaves={onShowSaves} />}</div>
      ) : (
        <>
          <div className="train-charts">
            {state === "preparing" && <Preparing />}
            <FaultBoundary part="The charts">
              <EvaluationReadouts />
              <Suspense fallback={<p className="screen-wait">Opening the charts …</p>}>
                <Charts />
              </Suspense>
            </FaultBoundary>
            <AskFold />
          </div>
          <div className="train-group">
            <FaultBoundary part="The current group">
              {chosen === "evaluate" ? <EvaluatePanel /> : kind === "supervised" ? <CurrentExamples /> : <CurrentGroup />}
            </FaultBoundary>
          </div>
        </>
      )}
    </div>
  );
}
