// The page's frame: name, screens, engine badge and theme above; the transport and the phase strip,
// which never scroll away; then the screen.
import { lazy, Suspense, useCallback, useState } from "react";
import { inspect, reset } from "./actions.ts";
import { useAddressSync } from "./addressSync.ts";
import { parseRoute, useHash } from "./route.ts";
import { ConfirmReset, HelpDialog } from "./shell/dialogs.tsx";
import { EngineNotice } from "./shell/EngineNotice.tsx";
import { LiveStatus } from "./shell/LiveStatus.tsx";
import { TopBar } from "./shell/TopBar.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { useRun } from "./store/useRunView.ts";
import { useCanStart } from "./train/draftView.ts";
import { PhaseStrip } from "./train/PhaseStrip.tsx";
import { TrainScreen } from "./train/TrainScreen.tsx";
import { resetOrAsk, TransportBar } from "./train/TransportBar.tsx";
import "./shell/shell.css";
import "./train/transport.css";
import "./train/phases.css";

const RolloutsScreen = lazy(() => import("./rollouts/RolloutsScreen.tsx").then((module) => ({ default: module.RolloutsScreen })));
const CompareScreen = lazy(() => import("./compare/CompareScreen.tsx").then((module) => ({ default: module.CompareScreen })));

export function App() {
  const { screen } = parseRoute(useHash());
  const [dialog, setDialog] = useState<"help" | "reset" | null>(null);
  const close = useCallback(() => setDialog(null), []);
  const onReset = useCallback(() => resetOrAsk(() => setDialog("reset")), []);
  const onHelp = useCallback(() => setDialog("help"), []);
  const canStart = useCanStart();
  const supervised = useRun((facts) => facts.config?.kind === "supervised");
  useAddressSync();
  useShortcuts({ onReset, onHelp });
  return (
    <>
      <TopBar screen={screen} onHelp={onHelp} />
      <section className="instrument" aria-label="The run">
        <TransportBar onReset={onReset} canStart={canStart} />
        {screen === "train" && !supervised && <PhaseStrip />}
      </section>
      <EngineNotice />
      <main className="screen">
        {screen === "train" && <TrainScreen />}
        {screen === "rollouts" && (
          <Suspense fallback={<p className="screen-wait">Opening the rollouts …</p>}>
            <RolloutsScreen onInspect={inspect} />
          </Suspense>
        )}
        {screen === "compare" && (
          <Suspense fallback={<p className="screen-wait">Opening the comparison …</p>}>
            <CompareScreen />
          </Suspense>
        )}
      </main>
      <LiveStatus />
      <HelpDialog isOpen={dialog === "help"} onClose={close} />
      <ConfirmReset isOpen={dialog === "reset"} onClose={close} onConfirm={reset} />
    </>
  );
}
