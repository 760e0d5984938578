// The page's frame: name, screens, engine badge and theme above; the transport and the phase strip,
// which never scroll away; then the screen.
import { type MouseEvent, Suspense, useLayoutEffect } from "react";
import { inspect, reset, restartWithChanges } from "./actions.ts";
import { useAddressSync } from "./addressSync.ts";
import { lazyPart } from "./lazyPart.tsx";
import { parseRoute, showsRun, useHash } from "./route.ts";
import { SavedRunsDialog } from "./saves/SavedRunsDialog.tsx";
import { closeDialog, openDialog, resetOrAsk, useDialog } from "./shell/dialogStore.ts";
import { ConfirmReset, ConfirmRestart, HelpDialog } from "./shell/dialogs.tsx";
import { EngineNotice } from "./shell/faults/EngineNotice.tsx";
import { FaultBoundary } from "./shell/faults/FaultBoundary.tsx";
import { LiveStatus } from "./shell/LiveStatus.tsx";
import { TopBar } from "./shell/TopBar.tsx";
import { useFirstTour, useTour } from "./shell/tourStore.ts";
import { useShortcuts } from "./shortcuts.ts";
import { useCanStart } from "./train/form/draftView.ts";
import { PhaseStrip } from "./train/phases/PhaseStrip.tsx";
import { TrainScreen } from "./train/TrainScreen.tsx";
import { TransportBar } from "./train/transport/TransportBar.tsx";
import "./shell/shell.css";
import "./train/transport/transport.css";
import "./train/phases/phases.css";

const RolloutsScreen = lazyPart(
  () => import("./rollouts/RolloutsScreen.tsx"),
  (module) => module.RolloutsScreen,
);
const OverTimeScreen = lazyPart(
  () => import("./overTime/OverTimeScreen.tsx"),
  (module) => module.OverTimeScreen,
);
const ExplainScreen = lazyPart(
  () => import("./explain/ExplainScreen.tsx"),
  (module) => module.ExplainScreen,
);
const CompareScreen = lazyPart(
  () => import("./compare/CompareScreen.tsx"),
  (module) => module.CompareScreen,
);

const Palette = lazyPart(
  () => import("./palette/Palette.tsx"),
  (module) => module.Palette,
);
const Tour = lazyPart(
  () => import("./tour/Tour.tsx"),
  (module) => module.Tour,
);
const LearnScreen = lazyPart(
  () => import("./learn/LearnScreen.tsx"),
  (module) => module.LearnScreen,
);

const onHelp = () => openDialog("help");
const onShowSaves = () => openDialog("saves");

/** The address belongs to the screens, so the link moves the focus alone. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  const main = document.getElementById("main");
  main?.focus();
  main?.scrollIntoView();
}

export function App() {
  const { screen } = parseRoute(useHash());
  const dialog = useDialog((facts) => facts.open);
  const canStart = useCanStart();
  const tour = useTour();
  // Screens share one page, and a new one is read from its top. Before the effects that lead to a place of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the screen changes
  useLayoutEffect(() => {
    window.scrollTo(0, 0);
  }, [screen]);
  useAddressSync();
  useFirstTour();
  useShortcuts({ onReset: resetOrAsk, onHelp, hasTransport: showsRun(screen), hasForm: screen === "train" });
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it goes to a place of this page, as far as the address allows */}
      <a className="skip-link" href="#main" onClick={skip}>
        Skip to the screen
      </a>
      <TopBar screen={screen} onHelp={onHelp} />
      {showsRun(screen) && (
        <section className="instrument" aria-label="The run">
          <TransportBar onReset={resetOrAsk} onShowSaves={onShowSaves} canStart={canStart} />
          {screen === "train" && (
            <FaultBoundary part="The phases of the step" isBrief>
              <PhaseStrip />
            </FaultBoundary>
          )}
        </section>
      )}
      <EngineNotice />
      <main className="screen" id="main" tabIndex={-1}>
        {screen === "train" && (
          <FaultBoundary part="The Train screen">
            <TrainScreen onShowSaves={onShowSaves} />
          </FaultBoundary>
        )}
        {screen === "rollouts" && (
          <FaultBoundary part="The Rollouts screen">
            <Suspense fallback={<p className="screen-wait">Opening the rollouts …</p>}>
              <RolloutsScreen onInspect={inspect} />
            </Suspense>
          </FaultBoundary>
        )}
        {screen === "time" && (
          <FaultBoundary part="The prompts over time">
            <Suspense fallback={<p className="screen-wait">Opening the prompts …</p>}>
              <OverTimeScreen />
            </Suspense>
          </FaultBoundary>
        )}
        {screen === "explain" && (
          <FaultBoundary part="The Explain screen">
            <Suspense fallback={<p className="screen-wait">Opening the explanation …</p>}>
              <ExplainScreen onInspect={inspect} />
            </Suspense>
          </FaultBoundary>
        )}
        {screen === "learn" && (
          <FaultBoundary part="The Learn screen">
            <Suspense fallback={<p className="screen-wait">Opening the lessons …</p>}>
              <LearnScreen />
            </Suspense>
          </FaultBoundary>
        )}
        {screen === "compare" && (
          <FaultBoundary part="The Compare screen">
            <Suspense fallback={<p className="screen-wait">Opening the comparison …</p>}>
              <CompareScreen />
            </Suspense>
          </FaultBoundary>
        )}
      </main>
      <LiveStatus />
      {tour.isOn && (
        <FaultBoundary part="The tour" isBrief>
          <Suspense fallback={null}>
            <Tour key={tour.round} />
          </Suspense>
        </FaultBoundary>
      )}
      {dialog === "palette" && (
        <FaultBoundary part="The palette" isBrief>
          <Suspense fallback={null}>
            <Palette onClose={closeDialog} />
          </Suspense>
        </FaultBoundary>
      )}
      <HelpDialog isOpen={dialog === "help"} onClose={closeDialog} />
      <SavedRunsDialog isOpen={dialog === "saves"} onClose={closeDialog} />
      <ConfirmReset isOpen={dialog === "reset"} onClose={closeDialog} onConfirm={reset} />
      <ConfirmRestart isOpen={dialog === "restart"} onClose={closeDialog} onConfirm={restartWithChanges} />
    </>
  );
}
