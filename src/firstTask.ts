// What the page can begin before its screens are there: colours, the engine's worker, what scripts call, saving when it hides. Then the
// task ends: the page's script is one file, and evaluated in one go it would hold up the page's thread for more than 50 ms. The
// bundler keeps the order of imports, and the wait where it stands, so this is what main.tsx imports first.
import "./ui/kit/theme/tokens.css";
import "./ui/kit/theme/base.css";
import "./ui/kit/theme/layout.css";
import "./ui/kit/controls/controls.css";
import "./ui/kit/dialog/dialog.css";
import "./ui/kit/form/fields.css";
import "./ui/kit/controls/ranges.css";
import { canRun, engine } from "./ui/engine/client.ts";
import { openTrainerWorker } from "./ui/engine/openWorkers.ts";
import { rememberShown } from "./ui/engine/saves/saveActions.ts";
import { keepSessionCatalog } from "./ui/engine/store/sessionCatalog.ts";
import "./ui/kit/controls/Button.tsx";
import { followTheme } from "./ui/kit/remembered.ts";
import { installApi } from "./ui/shell/api.ts";

/**
 * Remembers which run is shown, and asks the engine to store what is not stored yet, when the page hides: from then on
 * a browser may end it without a word.
 */
function saveOnHide(): void {
  const save = () => {
    rememberShown();
    if (engine.view.facts.getState().runId !== null) engine.send({ type: "save" });
  };
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && save());
  window.addEventListener("pagehide", save);
}

followTheme(document.documentElement);
if (new URLSearchParams(window.location.search).has("embed")) document.documentElement.dataset.embedded = "";
else if (canRun()) engine.connect(openTrainerWorker);
else engine.facts.setState({ status: "unsupported", message: "This browser has no module workers or no WebAssembly." });
installApi();
keepSessionCatalog(engine);
saveOnHide();

/** What is imported after this file goes on in the next task. */
const nextTask = new Promise((resolve) => setTimeout(resolve));
await nextTask;
