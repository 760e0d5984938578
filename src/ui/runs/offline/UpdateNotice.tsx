// What goes on beside the page once it stands: the build is kept for use without a connection, and what somebody wants
// while a run trains. Shows that a newer version is ready, and the button that changes over to it.
import { useEffect } from "react";
import { counted } from "../../../protocol/quantities.ts";
import { isTraining } from "../../engine/store/runFacts.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { useDialog } from "../../kit/dialog/dialogStore.ts";
import { dismissUpdate, goOffline, takeOver } from "./offline.ts";
import { followTraining } from "./whileTraining.ts";

/** The first run of a visit is not to wait for files of the next one. */
const AFTER_MS = 3_000;

/** Once the page is up; not of a page that is being developed, or that a server opens on a run. */
function useOfflineUse(): void {
  useEffect(() => {
    const isServed = document.querySelector('script[src="/run/open.js"]') !== null;
    if (!import.meta.env.PROD || isServed || !("serviceWorker" in navigator)) return;
    const timer = setTimeout(() => void goOffline(), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

export function UpdateNotice() {
  useOfflineUse();
  useEffect(followTraining, []);
  const { waiting, otherTabs } = useDialog((facts) => facts.newer);
  const trains = useRun(isTraining);
  if (!waiting) return null;
  return (
    <section className="notice" role="status" aria-label="A newer version">
      <p>
        A newer version of the page is ready.{" "}
        {otherTabs !== null
          ? `${counted(otherTabs, "other tab")} still ${otherTabs === 1 ? "runs" : "run"} this one: close ${otherTabs === 1 ? "it" : "them"} first, so that no tab mixes the two versions.`
          : trains
            ? "The run that trains here is saved, and you can continue it afterwards."
            : "The update does not change anything that is saved."}
      </p>
      <Button onPress={takeOver}>Change over now</Button>
      <Button kind="quiet" onPress={dismissUpdate}>
        Later
      </Button>
    </section>
  );
}
