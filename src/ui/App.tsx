// The page's frame: name, screens, engine badge and theme above; the transport and the phase strip,
// which never scroll away; then the screen.
import { type MouseEvent, memo, type ReactNode, useLayoutEffect, useRef } from "react";
import { looksFirstBy, noteUsesBy, resetOrAsk } from "./engine/actions.ts";
import { useAddressSync } from "./engine/address/addressSync.ts";
import { ShownHash, useHash, useShownHash } from "./engine/address/hash.ts";
import { useIsLanding } from "./engine/landing.ts";
import { editsSettings, parseRoute, type Screen, showsRun } from "./engine/route.ts";
import { useDraftProblem } from "./engine/store/draft/useDraftFacts.ts";
import { useRun, useTraced } from "./engine/store/useRunView.ts";
import { closeDialog, openDialog, useDialog } from "./kit/dialog/dialogStore.ts";
import { FaultBoundary } from "./kit/faults/FaultBoundary.tsx";
import { lazyPart } from "./kit/lazyPart.tsx";
import { FormToggle, TransportBar } from "./runs/transport/TransportBar.tsx";
import { EngineNotice } from "./shell/faults/EngineNotice.tsx";
import { LiveStatus } from "./shell/LiveStatus.tsx";
import { useShortcuts } from "./shell/shortcuts.ts";
import { TopBar } from "./shell/TopBar.tsx";
import { useFirstTour } from "./shell/tour/firstTour.ts";
import { PhaseStrip } from "./train/phases/PhaseStrip.tsx";
import { TrainScreen } from "./train/TrainScreen.tsx";
import "./shell/shell.css";
import "./runs/transport/transport.css";
import "./train/phases/phases.css";

const RolloutsScreen = lazyPart(() => import("./step/rollouts/RolloutsScreen.tsx"), "RolloutsScreen");
const OverTimeScreen = lazyPart(() => import("./step/overTime/OverTimeScreen.tsx"), "OverTimeScreen");
const TableScreen = lazyPart(() => import("./step/table/TableScreen.tsx"), "TableScreen");
const ExplainScreen = lazyPart(() => import("./step/explain/ExplainScreen.tsx"), "ExplainScreen");
const CompareScreen = lazyPart(() => import("./experiment/ExperimentScreen.tsx"), "CompareScreen");
const SweepScreen = lazyPart(() => import("./experiment/ExperimentScreen.tsx"), "SweepScreen");
const CustomizeScreen = lazyPart(() => import("./make/customize/CustomizeScreen.tsx"), "CustomizeScreen");

const ReplayBar = lazyPart(() => import("./runs/replay/ReplayBar.tsx"), "ReplayBar");
const PageDialog = lazyPart(() => import("./shell/PageDialog.tsx"), "PageDialog");
const ReadCode = lazyPart(() => import("./make/customize/ReadCode.tsx"), "ReadCode");
const Palette = lazyPart(() => import("./shell/palette/Palette.tsx"), "Palette");
const UpdateNotice = lazyPart(() => import("./runs/offline/UpdateNotice.tsx"), "UpdateNotice");
const Tour = lazyPart(() => import("./shell/tour/Tour.tsx"), "Tour");
const RunsScreen = lazyPart(() => import("./runs/list/RunsScreen.tsx"), "RunsScreen");
const OpenScreen = lazyPart(() => import("./open/OpenScreen.tsx"), "OpenScreen");
const WordsScreen = lazyPart(() => import("./learn/words/WordsScreen.tsx"), "WordsScreen");
const LogScreen = lazyPart(() => import("./open/log/LogScreen.tsx"), "LogScreen");
const LearnScreen = lazyPart(() => import("./learn/LearnScreen.tsx"), "LearnScreen");

noteUsesBy((config, runId) => {
  void import("./make/customize/library/libraryStore.ts").then(({ noteUses }) => noteUses(config, runId));
});

// Where the code does not come, the run starts without a look.
looksFirstBy((config) =>
  import("./make/before/tried.ts").then(
    (tried) => tried.mayStart(config),
    () => true,
  ),
);

const onHelp = () => openDialog("help");

interface ScreenPart {
  /** What it is called where it cannot be shown. */
  readonly part: string;
  /** Stands there while its code comes. */
  readonly wait?: string;
  readonly shown: ReactNode;
}

const SCREEN_PARTS: Readonly<Record<Screen, ScreenPart>> = {
  train: { part: "The Train screen", shown: <TrainScreen /> },
  rollouts: { part: "The Rollouts screen", wait: "Opening the rollouts …", shown: <RolloutsScreen /> },
  time: { part: "The prompts over time", wait: "Opening the prompts …", shown: <OverTimeScreen /> },
  table: { part: "The table of all rollouts", wait: "Opening the table …", shown: <TableScreen /> },
  explain: { part: "The Explain screen", wait: "Opening the explanation …", shown: <ExplainScreen /> },
  learn: { part: "The Learn screen", wait: "Opening the lessons …", shown: <LearnScreen /> },
  words: { part: "The words", wait: "Opening the words …", shown: <WordsScreen /> },
  runs: { part: "The Runs screen", wait: "Opening the runs …", shown: <RunsScreen /> },
  log: { part: "The screen for logs", wait: "Opening …", shown: <LogScreen /> },
  open: { part: "The screen for rollouts of others", wait: "Opening …", shown: <OpenScreen /> },
  compare: { part: "The Compare screen", wait: "Opening the comparison …", shown: <CompareScreen /> },
  sweep: { part: "The Sweep screen", wait: "Opening the sweeps …", shown: <SweepScreen /> },
  customize: { part: "The Customize screen", wait: "Opening …", shown: <CustomizeScreen /> },
};

/** The address belongs to the screens, so the link moves the focus alone. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  const main = document.getElementById("main");
  main?.focus();
  main?.scrollIntoView();
}

/** The controls of the run, where they belong to the screen. */
function Instrument({ screen }: { readonly screen: Screen }) {
  const problem = useDraftProblem();
  const isRecording = useRun((facts) => facts.recording !== null);
  const isTraced = useTraced() !== null;
  return (
    <section className="instrument" aria-label="The run">
      {isRecording ? (
        <FaultBoundary part="The controls of the recording" isBrief>
          <ReplayBar />
        </FaultBoundary>
      ) : (
        <TransportBar onReset={resetOrAsk} problem={problem}>
          {screen === "train" && <FormToggle />}
        </TransportBar>
      )}
      {screen === "train" && !isTraced && (
        <FaultBoundary part="The phases of the step" isBrief>
          <PhaseStrip />
        </FaultBoundary>
      )}
    </section>
  );
}

/** What stands on the page between the top line and the dialogs. */
const Shown = memo(function Shown({ screen }: { readonly screen: Screen }) {
  const isLanding = useIsLanding();
  const { part, wait, shown } = SCREEN_PARTS[screen];
  // Screens share one page, and a new one is read from its top. Before the effects that lead to a place of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the screen changes
  useLayoutEffect(() => {
    window.scrollTo(0, 0);
  }, [screen]);
  useShortcuts({ onReset: resetOrAsk, onHelp, hasTransport: showsRun(screen), hasForm: editsSettings(screen) && !isLanding });
  return (
    <>
      {showsRun(screen) && !isLanding && <Instrument screen={screen} />}
      <EngineNotice />
      <FaultBoundary part="News of a newer version" isBrief>
        <UpdateNotice />
      </FaultBoundary>
      <main className="screen grid grid-cols-1" id="main" tabIndex={-1}>
        <FaultBoundary key={screen} part={part} {...(wait ? { wait } : {})}>
          {shown}
        </FaultBoundary>
      </main>
    </>
  );
});

export function App() {
  const { screen } = parseRoute(useHash());
  const shownHash = useShownHash();
  const dialog = useDialog((facts) => facts.open);
  const asksToRead = useDialog(({ code }) => code.unread.length > 0);
  // Once opened, dialogs stay, each in its place.
  const wasOpened = useRef(false);
  if (dialog !== null && dialog !== "palette") wasOpened.current = true;
  const tour = useDialog((facts) => facts.tour);
  useAddressSync();
  useFirstTour();
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it goes to a place of this page, as far as the address allows */}
      <a className="skip-link rounded" href="#main" onClick={skip}>
        Skip to the screen
      </a>
      <TopBar screen={screen} onHelp={onHelp} />
      <ShownHash value={shownHash}>
        <Shown screen={parseRoute(shownHash).screen} />
      </ShownHash>
      <LiveStatus />
      {tour.isOn && (
        <FaultBoundary part="The tour" isBrief>
          <Tour key={tour.round} />
        </FaultBoundary>
      )}
      {wasOpened.current && (
        <FaultBoundary part="The dialog" isBrief>
          <PageDialog open={dialog} />
        </FaultBoundary>
      )}
      {asksToRead && (
        <FaultBoundary part="The code that came with the configuration" isBrief>
          <ReadCode />
        </FaultBoundary>
      )}
      {dialog === "palette" && (
        <FaultBoundary part="The palette" isBrief>
          <Palette onClose={closeDialog} />
        </FaultBoundary>
      )}
    </>
  );
}
