// The Train screen with its settings, before there is a run: what it will do, and what is saved. The controls above start it.

import type { SaveSummary } from "../../protocol/run/runSummary.ts";
import { askFirst } from "../engine/actions.ts";
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
    <section className="welcome-saves grid justify-items-start gap-half" aria-labelledby="welcome-saves">
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

/** The saved run that can be gone on with, and whether it was interrupted. */
export function useNewestSave(): { readonly newest: SaveSummary | undefined; readonly isInterrupted: boolean } {
  const saves = useEngine((facts) => facts.saves);
  const isUp = useEngine((facts) => facts.status === "ready");
  const hasFailed = useRun((facts) => facts.state === "failed");
  const newest = sortedSaves(saves ?? []).find(({ config }) => config !== null);
  return { newest, isInterrupted: newest !== undefined && isUp && !hasFailed && isUnderWay(newest) };
}

/** @param isFirst whether it is the one thing to press. */
export function ContinueSaved({ save, isFirst }: { readonly save: SaveSummary; readonly isFirst: boolean }) {
  return (
    <Button kind={isFirst ? "primary" : "plain"} className="button-large" onPress={() => goOnWith(save.runId)}>
      {continueVerb(save)} the saved run at step {save.step}
    </Button>
  );
}

export function Welcome() {
  const isUp = useEngine((facts) => facts.status === "ready");
  const catalog = useEngine((facts) => facts.catalog);
  const failed = useRun((facts) => facts.state === "failed");
  const presetId = useDraft((facts) => facts.draft.presetId);
  const canStart = useCanStart();
  const method = useDraftMethod();
  const name = methodName(
    method,
    catalog?.algorithms.find(({ id }) => id === method.algorithm),
  );
  const preset = catalog?.presets.find(({ id }) => id === presetId);
  const { newest, isInterrupted } = useNewestSave();
  return (
    <section className="welcome grid" aria-labelledby="welcome-title">
      <div className="welcome-main grid content-start gap-2">
        <h2 id="welcome-title">{failed ? "The run did not start" : "Watch a small model learn"}</h2>
        <p className="welcome-lead">
          {methodLead(method)} {name}
        </p>
        {preset && (
          <p className="soft">
            <b className="strong">{preset.title}.</b> {preset.summary}
          </p>
        )}
        {isInterrupted && <p>A run was interrupted at step {newest?.step}.</p>}
        <div className="actions">
          {newest && isUp && <ContinueSaved save={newest} isFirst={isInterrupted} />}
          {newest && isUp && failed && newest.config?.backend !== "tinker" && (
            <Button className="button-large" onPress={() => goOnWith(newest.runId, { backend: "wasm" })}>
              Continue it on WebAssembly
            </Button>
          )}
          {!failed && <a href="#/customize?section=templates">Teach it something of yours</a>}
        </div>
        {isUp && <WelcomeSaves />}
      </div>
      <div className="welcome-side grid content-start gap-3">
        <WhatHappens config={method} />
        {isUp && canStart && (
          <p className="welcome-ask line">
            <Button onPress={askBefore}>Ask the model before it learns</Button>
            <span className="note">prepares the run and shows what it answers now</span>
          </p>
        )}
      </div>
    </section>
  );
}
