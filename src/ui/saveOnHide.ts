// Asks the engine to store what is not stored yet when the page hides or goes away: from then on a browser
// may end it without a word.
import type { EngineClient } from "./client.ts";

export function saveOnHide(engine: EngineClient): void {
  const save = () => {
    if (engine.view.facts.getState().runId !== null) engine.send({ type: "save" });
  };
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && save());
  window.addEventListener("pagehide", save);
}
