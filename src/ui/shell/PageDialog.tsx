// The dialog that stands over the page, by its name, and help, which is one. Loads when the first is opened.
import type { ReactNode } from "react";
import { reset, restartWithChanges } from "../engine/actions.ts";
import { hashOf } from "../engine/route.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Toggle } from "../kit/controls/Slider.tsx";
import { closeDialog, type DialogName, openDialog } from "../kit/dialog/dialogStore.ts";
import { DialogEnd, type DialogProps, Frame } from "../kit/dialog/Frame.tsx";
import { FaultBoundary } from "../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { setShortcuts, usePreferences } from "../kit/remembered.ts";
import { setStaysAwake, setTellsEnd } from "../runs/offline/whileTraining.ts";
import { ExportDialog } from "../runs/saves/ExportDialog.tsx";
import { copySettings } from "./CopyLink.tsx";
import { ConfirmReset, ConfirmRestart } from "./RunQuestions.tsx";
import { takeTour } from "./tour/firstTour.ts";

const ModelsDialog = lazyPart(() => import("../make/models/ModelsDialog.tsx"), "ModelsDialog");

const BeforeDialog = lazyPart(() => import("../make/before/BeforeDialog.tsx"), "BeforeDialog");
const ShareDialog = lazyPart(() => import("../runs/replay/ShareDialog.tsx"), "ShareDialog");
const FrameDialog = lazyPart(() => import("../kit/charts/frame/FrameDialog.tsx"), "FrameDialog");
const ReplayQuestion = lazyPart(() => import("../runs/replay/ReplayQuestion.tsx"), "ReplayQuestion");

/** What the keys do that the page listens for. */
const SHORTCUTS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: "Space", does: "Train or pause" },
  { keys: "s", does: "One step" },
  { keys: "p", does: "One phase" },
  { keys: "r", does: "Reset" },
  { keys: "?", does: "This help" },
  { keys: "Ctrl K", does: "Search all actions, screens, presets and settings" },
  { keys: "Ctrl Z", does: "Undo the last edit of the configuration" },
  { keys: "Ctrl Shift Z", does: "Make it again" },
];

/** What somebody may want while a run trains, off at first. */
function WhileTraining() {
  const { staysAwake, tellsEnd, awakeProblem, tellProblem } = usePreferences();
  return (
    <section className="stack" aria-label="While a run trains">
      <h3>While a run trains</h3>
      <Toggle isSelected={staysAwake} isDisabled={awakeProblem !== null && !staysAwake} onChange={setStaysAwake}>
        Keep the screen awake
      </Toggle>
      {awakeProblem !== null && <p className="note">{awakeProblem}</p>}
      <Toggle isSelected={tellsEnd} onChange={(wants) => void setTellsEnd(wants)}>
        Notify me at its end when this tab is in the background
      </Toggle>
      <div role="status">{tellProblem !== null && <p className="note">{tellProblem}</p>}</div>
    </section>
  );
}

function HelpDialog({ isOpen, onClose }: DialogProps) {
  const on = usePreferences((chosen) => chosen.shortcuts);
  return (
    <Frame title="Help and shortcuts" isOpen={isOpen} onClose={onClose}>
      <p>
        Press Train. A small model answers each prompt several times. Each answer gets a score, which is compared with the score to be
        expected. Then the weights move towards the better answers. The strip above shows where in that loop the engine is; press a phase to
        see what it did.
      </p>
      <dl className="keys">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="fine-print">On a Mac, Cmd for Ctrl.</p>
      <Toggle isSelected={on} onChange={setShortcuts}>
        Single-key shortcuts
      </Toggle>
      <WhileTraining />
      <p>
        <a href={hashOf("words")} onClick={onClose}>
          All words of the page, explained
        </a>
      </p>
      <div className="actions">
        <Button onPress={() => openDialog("palette")}>Search all commands</Button>
        <Button
          onPress={() => {
            onClose();
            takeTour();
          }}
        >
          Take the tour
        </Button>
      </div>
      <DialogEnd onClose={onClose} />
    </Frame>
  );
}

/** Dialogs whose code loads as they open, with what they are called where it does not come. */
const LOADED: Partial<Record<DialogName, readonly [part: string, dialog: ReactNode]>> = {
  replay: ["The link to a recording", <ReplayQuestion key="replay" onClose={closeDialog} />],
  share: ["The ways to share", <ShareDialog key="share" copySettings={copySettings} onClose={closeDialog} />],
  frame: ["The code of the frame", <FrameDialog key="frame" onClose={closeDialog} />],
  before: ["The look before the start", <BeforeDialog key="before" />],
  models: ["Choosing a model", <ModelsDialog key="models" onClose={closeDialog} />],
};

/** Each stays where it is as it closes, so that the focus goes back to where it came from. */
export function PageDialog({ open }: { readonly open: DialogName | null }) {
  const loaded = open && LOADED[open];
  return (
    <>
      <HelpDialog isOpen={open === "help"} onClose={closeDialog} />
      <ConfirmReset isOpen={open === "reset"} onClose={closeDialog} onConfirm={reset} />
      <ConfirmRestart isOpen={open === "restart"} onClose={closeDialog} onConfirm={restartWithChanges} />
      {open === "export" && <ExportDialog onClose={closeDialog} />}
      {loaded && (
        <FaultBoundary key={open} part={loaded[0]} isBrief>
          {loaded[1]}
        </FaultBoundary>
      )}
    </>
  );
}
