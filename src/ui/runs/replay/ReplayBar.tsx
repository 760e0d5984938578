// The controls of a recording, in the place of those of a run: play, where it stands, how fast, and the ways to train on from there.
import { GitBranch, Pause, Play, RedoDot, X } from "lucide-react";
import { useEffect, useState } from "react";
import { pause, reset, takeOne, train } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { useEngine, useRun, useTraced } from "../../engine/store/useRunView.ts";
import { TRANSPORT, useTransportFocus } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Slider } from "../../kit/controls/Slider.tsx";
import { RunPosition } from "../transport/TransportBar.tsx";
import { canKeep, keepRecording } from "./openRecording.ts";
import { goOnHere, moveTo } from "./replayActions.ts";
import "./replay.css";

const SPEEDS = [0.5, 1, 4, 16] as const;
const AS_IT_WENT = 1;

/** The ways to train on from where it stands. */
function GoOnHere({ isUp }: { readonly isUp: boolean }) {
  return (
    <>
      <Button
        isResting={!isUp}
        onPress={() => void goOnHere(false)}
        hint="Train on from this step; the engine first repeats the earlier steps exactly"
      >
        <span>
          Go on<span className="transport-word"> from here</span>
        </span>
      </Button>
      <Button
        isResting={!isUp}
        onPress={() => void goOnHere(true)}
        hint="Make another run from this step that waits, so that you can change settings"
      >
        <GitBranch size={14} aria-hidden="true" />
        <span>
          Fork<span className="transport-word"> here</span>
        </span>
      </Button>
    </>
  );
}

export function ReplayBar() {
  const state = useRun((facts) => facts.state);
  const step = useRun((facts) => facts.step);
  const lastStep = useRun((facts) => facts.recording?.lastStep ?? 0);
  const runId = useRun((facts) => facts.runId);
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const isKept = useEngine((facts) => facts.saves?.some((save) => save.runId === runId) ?? false);
  const isTraced = useTraced() !== null;
  const isKeepable = !isKept && canKeep(runId);
  const [speed, setSpeed] = useState<number>(AS_IT_WENT);
  const isPlaying = state === "running";
  useTransportFocus(state);
  // Another recording plays as it went.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another is opened
  useEffect(() => setSpeed(AS_IT_WENT), [runId]);
  const choose = (next: number) => {
    setSpeed(next);
    engine.send({ type: "seek", speed: SPEEDS[next] ?? 1 });
  };
  return (
    <div className="transport flex items-center gap-3" role="toolbar" aria-label="Recording controls">
      <div className="transport-buttons flex">
        <Button kind={isPlaying ? "plain" : "primary"} isResting={!isUp || isPlaying} onPress={train} className={TRANSPORT.train}>
          <Play size={14} fill="currentColor" aria-hidden="true" />
          Play
        </Button>
        <Button isResting={!isPlaying || !isUp} onPress={pause} kind={isPlaying ? "primary" : "plain"} className={TRANSPORT.pause}>
          <Pause size={14} fill="currentColor" aria-hidden="true" />
          <span className="transport-word">Pause</span>
        </Button>
        <Button
          isResting={!isUp || step >= lastStep}
          onPress={() => takeOne("step")}
          hint="The next step of the recording (s)"
          className={TRANSPORT.step}
        >
          <RedoDot size={16} aria-hidden="true" />
          <span className="transport-word">Next step</span>
        </Button>
        {!isTraced && <GoOnHere isUp={isUp} />}
        {isKeepable && (
          <Button isResting={!isUp} onPress={() => void keepRecording().catch(() => {})} hint="Save the recording in this browser">
            Keep
          </Button>
        )}
        <Button
          isResting={!isUp}
          onPress={reset}
          kind="quiet"
          hint={isTraced ? "Close the files" : "Close the recording; its run stays saved"}
          className={TRANSPORT.reset}
        >
          <X size={14} aria-hidden="true" />
          <span className="transport-word">Close</span>
        </Button>
      </div>
      <div className="replay-place flex items-center min-w-0">
        <p className="replay-mark soft framed">{isTraced ? "From files" : "Recording"}</p>
        <Slider
          className="replay-slider aside"
          label="Step of the recording"
          value={Math.min(step, lastStep)}
          minValue={0}
          maxValue={Math.max(1, lastStep)}
          onChange={(to) => void moveTo(to)}
        />
        <Slider
          className="speed aside grid items-center"
          label="Speed"
          text={`${SPEEDS[speed]}×`}
          value={speed}
          maxValue={SPEEDS.length - 1}
          onChange={choose}
        />
      </div>
      <RunPosition />
    </div>
  );
}
