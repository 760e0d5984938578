// The controls of a run, always in sight: what can be done now, where the run is and how long it takes.

import { ArrowDownToDot, Pause, Play, RedoDot, RotateCcw, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { counted } from "../../../protocol/quantities.ts";
import { pause, takeOne, trainOrAsk } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { PACES, setPace } from "../../engine/pace.ts";
import { useRunName } from "../../engine/saves/saveTexts.ts";
import { useNextLabel } from "../../engine/store/draft/useDraftFacts.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView } from "../../engine/store/useRunView.ts";
import { focusTransport, TRANSPORT, useTransportFocus } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Slider } from "../../kit/controls/Slider.tsx";
import { ProgressLine } from "../../kit/controls/States.tsx";
import { setForm, usePreferences } from "../../kit/remembered.ts";
import { durationText, isWaiting, recentMean, runShare, secondsLeft, stateText } from "../../step/group/runReadings.ts";
import { SavedMark } from "../saves/SavedMark.tsx";

function SpeedSlider() {
  const delayMs = useEngine((facts) => facts.delayMs);
  const position = PACES.findIndex((pace) => pace.delayMs <= delayMs);
  const isSlowStart = useEngine((facts) => facts.isSlowStart);
  const text = isSlowStart ? "slow at first" : (PACES[position]?.text ?? "max");
  const choose = (next: number) => setPace(PACES[next]?.delayMs ?? 0);
  return (
    <Slider
      className="speed aside grid items-center"
      label="Speed"
      text={text}
      value={position}
      maxValue={PACES.length - 1}
      onChange={choose}
    />
  );
}

export function RunPosition() {
  const facts = useRun((all) => all);
  const status = useEngine((engine) => engine.status);
  const { metrics } = useRunView();
  useVersion(metrics);
  const name = useRunName();
  const share = runShare(facts);
  const stepTime = recentMean(metrics.series("step_time").values);
  const delayMs = useEngine((engine) => engine.delayMs);
  const isSlowStart = useEngine((facts) => facts.isSlowStart);
  const seconds =
    facts.state === "running" && stepTime !== null && !isSlowStart && !isWaiting(facts) ? secondsLeft(facts, stepTime, delayMs) : null;
  const left = seconds ? ` · ${durationText(seconds)} left` : "";
  return (
    <div className="position flex flex-wrap items-baseline">
      {name !== null && <p className="position-name ellipsis">{name}</p>}
      <p className="position-step nowrap">
        {facts.runId === null ? null : (
          <>
            <span className="position-number semibold">{facts.step}</span>
            {facts.config && facts.config.steps > 0 ? ` of ${counted(facts.config.steps, "step")}` : facts.step === 1 ? " step" : " steps"}{" "}
            <SavedMark />
          </>
        )}
      </p>
      <p className="position-state nowrap soft">
        {stateText(status, facts)}
        {left}
      </p>
      {share !== null && <ProgressLine label="Run progress" percent={share * 100} />}
    </div>
  );
}

/** What the button says; on a phone all but its last two words are only heard: "100 more", "next run". */
function TrainLabel() {
  const words = useNextLabel().split(" ");
  return words.length < 3 ? (
    words.join(" ")
  ) : (
    <span>
      <span className="transport-word">{words.slice(0, -2).join(" ")} </span>
      {words.slice(-2).join(" ")}
    </span>
  );
}

/** Shows and hides the settings beside a run. */
export function FormToggle() {
  const isShown = usePreferences(({ form }) => form);
  return (
    <Button kind="quiet" className="transport-form" onPress={() => setForm(!isShown)}>
      <SlidersHorizontal size={14} aria-hidden="true" />
      {isShown ? "Hide settings" : "Settings"}
    </Button>
  );
}

interface TransportBarProps {
  /** Asks before a long run is forgotten. */
  readonly onReset: () => void;
  /** Why the form's run cannot be started; null where it can. */
  readonly problem: string | null;
  /** Beside the buttons. */
  readonly children?: ReactNode;
}

/** The button of the first screen goes away with what it starts, and the focus comes here. */
function useFocusOfFirstScreen(): void {
  useEffect(() => {
    const take = () => {
      if (document.activeElement === document.body && engine.view.facts.getState().state !== "idle") focusTransport("train");
    };
    // With the next frame, which lays the page out anyway.
    const frame = requestAnimationFrame(take);
    return () => cancelAnimationFrame(frame);
  }, []);
}

export function TransportBar({ onReset, problem, children }: TransportBarProps) {
  const state = useRun((facts) => facts.state);
  const engineStatus = useEngine((facts) => facts.status);
  const up = engineStatus === "ready" || engineStatus === "quiet";
  const running = state === "running";
  const busy = !up || state === "preparing";
  const fresh = state === "idle" || state === "failed";
  const blocked = busy || (fresh && problem !== null);
  useTransportFocus(state);
  useFocusOfFirstScreen();
  return (
    <div className="transport flex items-center gap-3" role="toolbar" aria-label="Run controls">
      <div className="transport-buttons flex">
        <Button
          kind={running ? "plain" : "primary"}
          isResting={blocked || running}
          onPress={trainOrAsk}
          className={TRANSPORT.train}
          {...(fresh && problem !== null ? { hint: `Not yet: ${problem}` } : {})}
        >
          <Play size={14} fill="currentColor" aria-hidden="true" />
          <TrainLabel />
        </Button>
        <Button isResting={!running || !up} onPress={pause} kind={running ? "primary" : "plain"} className={TRANSPORT.pause}>
          <Pause size={14} fill="currentColor" aria-hidden="true" />
          <span className="transport-word">Pause</span>
        </Button>
        <Button isResting={blocked} onPress={() => takeOne("step")} hint="One whole step, then pause (s)" className={TRANSPORT.step}>
          <RedoDot size={16} aria-hidden="true" />
          <span className="transport-word">Step</span>
        </Button>
        <Button isResting={blocked} onPress={() => takeOne("phase")} hint="One phase of a step, then pause (p)">
          <ArrowDownToDot size={16} aria-hidden="true" />
          <span className="transport-word">Step phase</span>
        </Button>
        <Button
          isResting={!up || state === "idle"}
          onPress={onReset}
          kind="quiet"
          hint="Forget this run and its save (r)"
          className={TRANSPORT.reset}
        >
          <RotateCcw size={14} aria-hidden="true" />
          <span className="transport-word">Reset</span>
        </Button>
        {children}
      </div>
      <SpeedSlider />
      <RunPosition />
    </div>
  );
}
