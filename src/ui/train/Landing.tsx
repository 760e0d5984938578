// The first screen: a question, the answers to it, a curve, and one button. The settings come when they are asked for.
import { Play } from "lucide-react";
import { useEffect } from "react";
import { trainOrAsk } from "../engine/actions.ts";
import { hashOf } from "../engine/route.ts";
import { useCanStart } from "../engine/store/draft/useDraftFacts.ts";
import { useEngine } from "../engine/store/useRunView.ts";
import { focusTransport, TRANSPORT } from "../engine/trainAction.ts";
import { Button } from "../kit/controls/Button.tsx";
import { FaultBoundary } from "../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { setForm } from "../kit/remembered.ts";
import { ContinueSaved, useNewestSave } from "./states.tsx";
import "./landing.css";

export const LandingRecording = lazyPart(async () => {
  const part = await import("../runs/replay/LandingRecording.tsx");
  await part.cardCame;
  return part;
}, "LandingRecording");

/** Takes the focus where the button that forgot a run had it. */
function useFocusAfterRun(isAfterRun: boolean): void {
  useEffect(() => {
    if (!isAfterRun) return;
    const frame = requestAnimationFrame(() => document.activeElement === document.body && focusTransport("train"));
    return () => cancelAnimationFrame(frame);
  }, [isAfterRun]);
}

/** @param isAfterRun whether a run was on screen before. */
export function Landing({ isAfterRun }: { readonly isAfterRun: boolean }) {
  const status = useEngine((facts) => facts.status);
  const canStart = useCanStart();
  const isUp = status === "ready";
  const { newest, isInterrupted } = useNewestSave();
  useFocusAfterRun(isAfterRun);
  return (
    <section className="landing grid content-start w-full" aria-labelledby="landing-title">
      <header>
        <h2 id="landing-title">Watch a small model learn</h2>
        <p className="landing-law soft">
          It answers, and hears only right or wrong. Right answers are <b className="push-up">pushed up</b>, wrong ones{" "}
          <b className="push-down">down</b>.
        </p>
      </header>
      <div className="landing-stage grid rule-above">
        <FaultBoundary part="The recording" isBrief>
          <LandingRecording />
        </FaultBoundary>
      </div>
      <div className="landing-actions gap-y-1 gap-x-2 flex flex-wrap items-center">
        <Button
          kind={isInterrupted ? "plain" : "primary"}
          className={`button-large ${TRANSPORT.train}`}
          isDisabled={!isUp || !canStart}
          onPress={trainOrAsk}
        >
          <Play size={16} fill="currentColor" aria-hidden="true" />
          Train
        </Button>
        {newest && isUp && <ContinueSaved save={newest} isFirst={isInterrupted} />}
        <Button kind="quiet" className="button-large" onPress={() => setForm(true)}>
          Settings
        </Button>
        <a className="aside" href={hashOf("open")}>
          Open rollouts or a log made elsewhere
        </a>
        <p className="aside" role="status">
          {isUp ? "Runs here, in your browser." : status === "starting" ? "The engine is loading …" : "The engine is not running."}
        </p>
      </div>
    </section>
  );
}
