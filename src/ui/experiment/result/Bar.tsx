// The controls of an experiment: how far it is, and what can be done with all of it. The run on the Train screen has its own controls
// there; that it takes processor time is said here.
import { Pause, Play, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { goTo } from "../../engine/route.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { ProgressLine } from "../../kit/controls/States.tsx";
import { show } from "../plan/setup.ts";
import { cancelExperiment, goOnExperiment, pauseExperiment, removeExperiment, setAtOnce } from "../run/actions.ts";
import { experimentVersion, type LoadedExperiment, useExperiments } from "../run/experiments.ts";
import type { KeptExperiment } from "../run/keptExperiments.ts";
import type { Shape } from "../shapes/shape.ts";
import { ownRuns, shareDone, stateOfRun, stateText } from "./words.ts";

function AtOnce({ runs }: { readonly runs: number }) {
  const atOnce = useExperiments((facts) => facts.atOnce);
  const fitting = useExperiments((facts) => facts.fitting);
  const most = Math.min(runs, Math.max(8, navigator.hardwareConcurrency || 2));
  const options = [
    { id: "0", title: fitting === null ? "as many as fit" : `as many as fit (${fitting})` },
    ...Array.from({ length: most }, (_, i) => ({ id: String(i + 1), title: String(i + 1) })),
  ];
  return (
    <Choice
      className="sweep-at-once"
      label="Runs at once"
      value={String(atOnce ?? 0)}
      options={options}
      onChange={(id) => setAtOnce(id === "0" ? null : Number(id))}
    />
  );
}

/** Asks before an experiment is forgotten; its runs stay. */
function Remove({ id, what }: { readonly id: string; readonly what: string }) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button kind="quiet" onPress={() => setAsking(true)}>
        <Trash2 size={14} aria-hidden="true" /> Forget it
      </Button>
    );
  return (
    <span className="line">
      Forget the {what}? Its runs stay on Runs. <Button onPress={() => void removeExperiment(id)}>Forget the {what}</Button>
      <Button onPress={() => setAsking(false)}>Keep it</Button>
    </span>
  );
}

interface BarProps {
  readonly experiment: KeptExperiment;
  readonly shape: Shape;
  readonly loaded: LoadedExperiment;
}

export function Bar({ experiment: { id, plan, isCancelled }, shape: { screen, words, curves }, loaded }: BarProps) {
  useVersion(experimentVersion);
  const isHere = useExperiments((facts) => facts.going === id);
  const paused = useExperiments((facts) => facts.paused) && isHere;
  const trainGoesOn = useRun((facts) => facts.state === "running" && facts.recording === null);
  const { combinations, isRead } = loaded;
  const left = ownRuns(combinations).filter((run) => stateOfRun(run) !== "finished").length;
  const goes = isHere && !paused;
  const done = shareDone(combinations) * 100;
  return (
    <div className="stack">
      <div className="race-controls line">
        <p role="status" aria-live="polite">
          {isRead ? stateText(combinations, curves === "one each" ? "run" : words.combination) : "Reading what its runs recorded …"}
          {isRead && isCancelled && left > 0 && "; it was cancelled"}
          {isRead && paused && !stateText(combinations, "run").includes("paused") && "; paused"}
        </p>
        {goes && (
          <Button onPress={pauseExperiment}>
            <Pause size={14} aria-hidden="true" /> {words.pause}
          </Button>
        )}
        {!goes && isRead && left > 0 && (
          <Button kind="primary" onPress={() => void goOnExperiment(id)}>
            <Play size={14} aria-hidden="true" /> {words.goOn}
          </Button>
        )}
        {isHere && (
          <Button onPress={() => void cancelExperiment(id)}>
            <Square size={14} aria-hidden="true" /> {words.cancel}
          </Button>
        )}
        {!isHere && screen === "compare" && (
          <Button kind="quiet" onPress={() => show(screen, null)}>
            Clear
          </Button>
        )}
        <Button kind="quiet" onPress={() => goTo("runs", new URLSearchParams({ tag: plan.name }))}>
          Its runs
        </Button>
        {!isHere && <Remove key={id} id={id} what={words.what} />}
      </div>
      <ProgressLine label="Steps taken of all runs" percent={done} />
      <div className="line sweep-reading">
        {left > 0 && <AtOnce runs={plan.runs.length} />}
        {goes && trainGoesOn && (
          <p className="aside">
            The run on the <a href="#/train">Train screen</a> goes on too and uses processor time.
          </p>
        )}
        {goes && (
          <p className="aside">
            It goes on while this page is open, on any screen. If you close the page, you can continue it later from where each run stopped.
          </p>
        )}
      </div>
    </div>
  );
}
