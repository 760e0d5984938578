// How long the engine waits after each phase, to be watched. The first run in this browser plays its first
// steps slowly enough to be read and then speeds up by itself, unless somebody has chosen a speed, wants
// little motion, or starts runs by script.
import { recall, remember } from "../kit/remembered.ts";
import { engine } from "./client.ts";

/** Pause after each phase, from slow motion to none. */
export const PACES = [
  { delayMs: 2000, text: "1 phase / 2 s" },
  { delayMs: 1000, text: "1 phase / s" },
  { delayMs: 300, text: "3 phases / s" },
  { delayMs: 60, text: "brisk" },
  { delayMs: 0, text: "max" },
] as const;

/** Pause after each phase of the first steps (ms); from then on there is none. */
const FIRST_STEPS_MS: readonly number[] = [1200, 700, 350, 150, 60];

const KEY = "rollout-lab-slow-start";
const SEEN = "seen";

function tell(delayMs: number): void {
  if (engine.facts.getState().delayMs === delayMs) return;
  engine.facts.setState({ delayMs });
  engine.send({ type: "pace", delayMs });
}

/** The pause while a step is taken, in a slow start. */
export function slowPaceMs(step: number): number {
  return FIRST_STEPS_MS[step - 1] ?? 0;
}

/** Chooses a speed for good: the first steps are not played slowly any more. */
export function setPace(delayMs: number): void {
  endSlowStart();
  tell(delayMs);
}

let stopListening = () => {};

function endSlowStart(): void {
  stopListening();
  stopListening = () => {};
  engine.facts.setState({ isSlowStart: false });
  remember(KEY, SEEN);
}

/** Plays the first steps of the run that is about to start slowly, where nobody has seen that yet. */
export function startSlowly(): void {
  const wantsLittleMotion = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (recall(KEY) === SEEN || wantsLittleMotion || engine.facts.getState().delayMs !== 0) return;
  engine.facts.setState({ isSlowStart: true });
  tell(slowPaceMs(1));
  stopListening = engine.listen((event) => {
    const isOver = event.type === "state" && (event.state === "finished" || event.state === "failed" || event.state === "idle");
    const next = event.type === "phase" ? slowPaceMs(event.step) : null;
    if (next !== null && next > 0) tell(next);
    if (!isOver && next !== 0) return;
    endSlowStart();
    tell(0);
  });
}
