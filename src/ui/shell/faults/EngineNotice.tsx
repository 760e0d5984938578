// What went wrong or needs attention, in the engine's words, with the one thing that helps.
import { useEffect } from "react";
import { engine } from "../../engine/client.ts";
import { goOnWith } from "../../engine/saves/saveActions.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { inTitles } from "../../engine/store/inTitles.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { useEngine, useRun, useRunView } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { EngineDied } from "./EngineDied.tsx";

function Unsupported() {
  const message = useEngine((facts) => facts.message);
  return (
    <section className="notice notice-strong" role="alert">
      <div>
        <h2 className="large">Training cannot run in this browser</h2>
        <p>{message} Chrome or Edge 120, Firefox 121 and Safari 17.4 or newer can.</p>
      </div>
    </section>
  );
}

function Quiet() {
  return (
    <section className="notice" role="status">
      <p>The engine has not answered for 20 seconds. A long step on a busy machine can cause this. If it does not come back, restart it.</p>
      <Button onPress={() => engine.kill("it did not answer and was ended")}>End the engine</Button>
    </section>
  );
}

/** Closes a notice. It goes away with it, so the focus goes to the controls of the run. */
function Close({ onPress }: { readonly onPress: () => void }) {
  const close = () => {
    focusTransport("train");
    onPress();
  };
  return (
    <Button kind="quiet" onPress={close}>
      Close
    </Button>
  );
}

/** What can be done about a run that failed: go on from its last save, on another backend where its GPU may be the reason. */
function FailedRun() {
  const runId = useRun((facts) => facts.runId);
  const savedStep = useRun((facts) => facts.savedStep);
  const onGpu = useRun((facts) => facts.backend?.id.includes("webgpu") ?? false);
  if (runId === null || savedStep === null) return null;
  return (
    <>
      <Button kind="primary" onPress={() => goOnWith(runId)}>
        Continue from step {savedStep}
      </Button>
      {onGpu && <Button onPress={() => goOnWith(runId, { backend: "wasm" })}>Continue on WebAssembly</Button>}
    </>
  );
}

/** Beside a refusal because another tab has the run: a copy of it can go on here. */
function ContinueCopy({ error }: { readonly error: string }) {
  const offer = useEngine((facts) => facts.copyOffer);
  if (offer?.message !== error) return null;
  return (
    <Button kind="primary" onPress={() => goOnWith(offer.runId, { asCopy: true })}>
      Continue a copy
    </Button>
  );
}

/** So long it is said that something is over. */
const OVER_MS = 15_000;

/** A sentence that is not an error; one of something that is over goes by itself. */
function Notice() {
  const view = useRunView();
  const catalog = useEngine((facts) => facts.catalog);
  const notice = useRun((facts) => facts.notice);
  useEffect(() => {
    if (notice?.passing !== "over") return;
    const waiting = setTimeout(() => view.facts.setState({ notice: null }), OVER_MS);
    return () => clearTimeout(waiting);
  }, [notice, view]);
  if (!notice) return null;
  return (
    <section className="notice" role="status">
      <p>{inTitles(catalog, notice.message)}</p>
      <Close onPress={() => view.facts.setState({ notice: null })} />
    </section>
  );
}

/**
 * The heading above an error: what became of the run, and only where the error changed that, since it is
 * then also the reason the engine gave for the state. What was refused while a run is paused has not paused it.
 */
export function errorHeading(message: string, { state, stateReason }: Pick<RunFacts, "state" | "stateReason">): string {
  if (stateReason === message && state === "failed") return "The run failed";
  if (stateReason === message && state === "paused") return "The run is paused";
  return "That did not work";
}

export function EngineNotice() {
  const status = useEngine((facts) => facts.status);
  const view = useRunView();
  const error = useRun((facts) => facts.error);
  const state = useRun((facts) => facts.state);
  const stateReason = useRun((facts) => facts.stateReason);
  const addressProblem = useDraft((facts) => facts.addressProblem);
  const catalog = useEngine((facts) => facts.catalog);
  if (status === "died") return <EngineDied />;
  if (status === "unsupported") return <Unsupported />;
  return (
    <>
      {status === "quiet" && <Quiet />}
      {addressProblem && (
        <section className="notice" role="alert">
          <p>{inTitles(catalog, addressProblem)}</p>
          <Close onPress={() => useDraft.setState({ addressProblem: null })} />
        </section>
      )}
      {error && (
        <section className="notice notice-strong" role="alert">
          <div>
            <h2 className="large">{errorHeading(error, { state, stateReason })}</h2>
            <p>{inTitles(catalog, error)}</p>
            {state === "paused" && stateReason === error && <p>Press Train to continue the run.</p>}
          </div>
          <div className="actions">
            {state === "failed" && <FailedRun />}
            <ContinueCopy error={error} />
            <Close onPress={() => view.facts.setState({ error: null })} />
          </div>
        </section>
      )}
      {!error && <Notice />}
    </>
  );
}
