// Two things that somebody may want while a run trains, both off until they are chosen, and remembered: that the screen
// stays awake, and that the browser tells when the run has ended. Where the browser has neither, or refuses, it is said
// beside the choice.
import { engine } from "../../engine/client.ts";
import { runName } from "../../engine/saves/saveTexts.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { recall, remember, usePreferences } from "../../kit/remembered.ts";

const AWAKE = "rollout-lab-awake";
const TELL = "rollout-lab-tell-end";

const DENIED = "This browser blocks notifications from this page. Allow them in the browser's settings, then choose this again.";
const hasLock = "wakeLock" in navigator;
const canTell = "Notification" in window;

const isChosen = (key: string) => recall(key) === "on";

usePreferences.setState({
  staysAwake: hasLock && isChosen(AWAKE),
  // What was allowed once may have been taken back.
  tellsEnd: canTell && isChosen(TELL) && Notification.permission === "granted",
  awakeProblem: hasLock ? null : "This browser, or a page without https, cannot keep the screen awake.",
  tellProblem: !canTell ? "This browser has no notifications." : Notification.permission === "denied" ? DENIED : null,
});

let lock: WakeLockSentinel | null = null;
let isAsking = false;

const trains = ({ state, recording }: RunFacts) => state === "running" && recording === null;

/** Holds the screen awake where that is wanted and a run trains in a page that is seen; lets it sleep otherwise. */
async function holdAwake(): Promise<void> {
  const isWanted = usePreferences.getState().staysAwake && trains(engine.view.facts.getState()) && document.visibilityState === "visible";
  if (!isWanted) {
    await lock?.release();
    lock = null;
    return;
  }
  if (isAsking || (lock !== null && !lock.released)) return;
  isAsking = true;
  try {
    lock = await navigator.wakeLock.request("screen");
    usePreferences.setState({ awakeProblem: null });
  } catch {
    usePreferences.setState({ awakeProblem: "The browser refused, perhaps because the battery is nearly empty, so the screen may sleep." });
  } finally {
    isAsking = false;
  }
}

export function setStaysAwake(staysAwake: boolean): void {
  usePreferences.setState({ staysAwake });
  remember(AWAKE, staysAwake ? "on" : "off");
  void holdAwake();
}

/** Asks the browser, once, when somebody chooses to be told. */
export async function setTellsEnd(wants: boolean): Promise<void> {
  const permission = wants && Notification.permission === "default" ? await Notification.requestPermission() : Notification.permission;
  const tellsEnd = wants && permission === "granted";
  const refused = permission === "denied" ? DENIED : "You did not answer the browser's question. Choose this again to see it again.";
  usePreferences.setState({ tellsEnd, tellProblem: wants && !tellsEnd ? refused : null });
  remember(TELL, tellsEnd ? "on" : "off");
}

/** Tells that a run has ended, to somebody who does not look at the page. */
function tellEnd({ config, step, state, stateReason }: RunFacts): void {
  const { catalog } = engine.facts.getState();
  if (!usePreferences.getState().tellsEnd || document.hasFocus() || !config || !catalog) return;
  const body = `${state === "failed" ? "Failed" : "Finished"} at step ${step}${stateReason ? `: ${stateReason}` : ""}.`;
  try {
    const told = new Notification(runName(catalog, config), { body, tag: "rollout-lab-end" });
    told.onclick = () => {
      window.focus();
      told.close();
    };
  } catch {
    // Phones let service workers alone tell.
    void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(runName(catalog, config), { body }));
  }
}

/** Follows the run on screen; ends with what it returns. */
export function followTraining(): () => void {
  const end = engine.view.facts.subscribe((now, before) => {
    if (now.state === before.state) return;
    void holdAwake();
    const hasEnded = now.state === "finished" || now.state === "failed";
    if (hasEnded && trains(before) && now.runId === before.runId) tellEnd(now);
  });
  // A browser lets go of the lock when the page hides.
  const look = () => void holdAwake();
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    end();
    document.removeEventListener("visibilitychange", look);
  };
}
