// The one way forward on the Explain screen: to the next phase of the update where the step has come so far; else the engine takes the
// next part of it; and after the last phase the next step.
import type { StepGroups } from "../../../protocol/messages.ts";
import { advance } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import type { ExplainedPhase } from "../../engine/store/selection.ts";
import { useEngine, useRun, useSelect } from "../../engine/store/useRunView.ts";
import { arrivedAt, EXPLAINED } from "./story/phases.ts";
import { isReached } from "./story/story.ts";

export interface Forward {
  /** Where it leads. */
  readonly title: string;
  /** The engine has to take it first, and cannot now. */
  readonly isResting: boolean;
  readonly go: () => void;
}

/** Whether the run stands still and there is more to come of it: a recording ends where it ends. */
export function takesMore({ state, recording, step }: Pick<RunFacts, "state" | "recording" | "step">): boolean {
  if (recording !== null && step >= recording.lastStep) return false;
  return state === "paused" || state === "finished";
}

/** @param latest the newest step of the run, which alone can be taken further. */
export function useForward(step: StepGroups, latest: number, shown: ExplainedPhase): Forward {
  const select = useSelect();
  const isIdle = useRun(takesMore);
  const isUp = useEngine(({ status }) => status === "ready" || status === "quiet");
  const next = EXPLAINED[EXPLAINED.findIndex(({ id }) => id === shown) + 1];
  if (next && isReached(step, next)) return { title: next.title, isResting: false, go: () => select({ explained: next.id }) };
  if (step.step < latest)
    return { title: "step", isResting: false, go: () => select({ step: step.step + 1, trajectoryIndex: 0, explained: "prompt" }) };
  const takePart = async () => {
    await advance("part");
    engine.flush();
    const { groups } = engine.view;
    const at = groups.latestStep;
    if (at === null) return;
    const taken = groups.at(at);
    const change = taken ? { explained: arrivedAt(taken) } : {};
    select(at === step.step ? change : { step: at, promptIndex: 0, trajectoryIndex: 0, ...change });
  };
  return {
    title: next?.title ?? (step.opened ? "part" : "step"),
    isResting: !isIdle || !isUp,
    // A refusal is among the run's facts, where the page shows it.
    go: () => void takePart().catch(() => {}),
  };
}
