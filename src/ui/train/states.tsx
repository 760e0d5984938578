// The Train screen before there is anything to see: each state says what will appear, and offers the
// one button that makes it appear.
import { Play } from "lucide-react";
import { askFirst, trainOrAsk } from "../engine/actions.ts";
import { goTo } from "../engine/route.ts";
import { goOnWith } from "../engine/saves/saveActions.ts";
import { continueVerb, isUnderWay, sortedSaves } from "../engine/saves/saveTexts.ts";
import { useDraft } from "../engine/store/draft/draftStore.ts";
import { useCanStart, useDraftMethod } from "../engine/store/draft/useDraftFacts.ts";
import { useEngine, useRun } from "../engine/store/useRunView.ts";
import { focusTransport } from "../engine/trainAction.ts";
import { Button } from "../kit/controls/Button.tsx";
import { changeAsk } from "../kit/dialog/dialogStore.ts";
import { FaultBoundary } from "../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { methodLead, methodName } from "../kit/words/method.ts";
import { WhatHappens } from "./phases/WhatHappens.tsx";
import "./states.css";

const SavedRuns = lazyPart(() => import("../runs/saves/SavedRuns.tsx"), "SavedRuns");
const LandingBelow = lazyPart(() => import("./LandingBelow.tsx"), "LandingBelow");
export const LandingRecording = lazyPart(async () => {
  const part = await import("../runs/replay/LandingRecording.tsx");
  await part.cardCame;
  return part;
}, "LandingRecording");

/** Each of these buttons goes away with what it starts. */
function begin(): void {
  focusTransport("train");
  trainOrAsk();
}

function askBefore(): void {
  focusTransport("train");
  askFirst();
  changeAsk({ isOpen: true, asksAtOnce: true });
}

/** Saved runs that are listed here; all of them are on Runs. */
const FEW = 4;

function WelcomeSaves() {
  const catalog = useEngine((facts) => facts.catalog);
  const saves = useEngine((facts) => facts.saves);
  if (!catalog || !saves) return null;
  const openOther = (
    <p>
      <Button kind="quiet" onPress={() => goTo("runs", { bring: true })}>
        Open a run from a folder or file
      </Button>
    </p>
  );
  if (saves.length === 0) return openOther;
  return (
    <section className="welcome-saves" aria-labelledby="welcome-saves">
      <h3 id="welcome-saves" className="aside">
        Saved in this browser
      </h3>
      <FaultBoundary part="The list of saved runs" isBrief>
        <SavedRuns saves={sortedSaves(saves).slice(0, FEW)} />
      </FaultBoundary>
      {saves.length > FEW && (
        <Button kind="quiet" onPress={() => goTo("runs")}>
          All {saves.length} saved runs
        </Button>
      )}
      {openOther}
    </section>
  );
}

export function Welcome() {
  const status = useEngine((facts) => facts.status);
  const catalog = useEngine((facts) => facts.catalog);
  const saves = useEngine((facts) => facts.saves);
  const failed = useRun((facts) => facts.state === "failed");
  const presetId = useDraft((facts) => facts.draft.presetId);
  const canStart = useCanStart();
  const method = useDraftMethod();
  const name = methodName(
    method,
    catalog?.algorithms.find(({ id }) => id === method.algorithm),
  );
  const preset = catalog?.presets.find(({ id }) => id === presetId);
  const up = status === "ready";
  const newest = sortedSaves(saves ?? []).find(({ config }) => config !== null);
  const isInterrupted = newest !== undefined && up && !failed && isUnderWay(newest);
  return (
    <section className="welcome" aria-labelledby="welcome-title">
      {!failed && (
        <div className="welcome-recording">
          <FaultBoundary part="The recording" isBrief>
            <LandingRecording />
          </FaultBoundary>
        </div>
      )}
      <div className="welcome-main">
        <h2 id="welcome-title">{failed ? "The run did not start" : "Watch a small model learn"}</h2>
        <p className="welcome-lead">
          {methodLead(method)} {name}
        </p>
        {preset && (
          <p className="soft">
            <b className="strong">{preset.title}.</b> {preset.summary}
          </p>
        )}
        {isInterrupted && <p>A run was interrupted at step {newest.step}.</p>}
        <div className="actions">
          <Button kind={isInterrupted ? "plain" : "primary"} className="button-large" isDisabled={!up || !canStart} onPress={begin}>
            <Play size={16} fill="currentColor" aria-hidden="true" />
            {up ? "Start the run" : status === "starting" ? "The engine is loading …" : "The engine is not running"}
          </Button>
          {newest && up && (
            <Button kind={isInterrupted ? "primary" : "plain"} className="button-large" onPress={() => goOnWith(newest.runId)}>
              {continueVerb(newest)} the saved run at step {newest.step}
            </Button>
          )}
          {newest && up && failed && newest.config?.backend !== "tinker" && (
            <Button className="button-large" onPress={() => goOnWith(newest.runId, { backend: "wasm" })}>
              Continue it on WebAssembly
            </Button>
          )}
          {!failed && <a href="#/customize?section=templates">Teach it something of yours</a>}
        </div>
        {up && <WelcomeSaves />}
      </div>
      <div className="welcome-side">
        <WhatHappens config={method} />
        {up && canStart && (
          <p className="welcome-ask line">
            <Button onPress={askBefore}>Ask the model before it learns</Button>
            <span className="note">prepares the run and shows what it answers now</span>
          </p>
        )}
      </div>
      <FaultBoundary part="What comes below" isBrief>
        <LandingBelow hasFailed={failed} isOnServer={method.backend === "tinker"} />
      </FaultBoundary>
    </section>
  );
}
