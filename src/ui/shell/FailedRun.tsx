// What can be done about a run that failed: go on from its last save, on another backend where its GPU
// may be the reason.
import { continueRun } from "../actions.ts";
import { Button } from "../controls/Button.tsx";
import { useRun } from "../store/useRunView.ts";
import { focusTransport } from "../train/transportFocus.ts";

export function FailedRun() {
  const runId = useRun((facts) => facts.runId);
  const savedStep = useRun((facts) => facts.savedStep);
  const onGpu = useRun((facts) => facts.backend?.id.includes("webgpu") ?? false);
  if (runId === null || savedStep === null) return null;
  const goOn = (backend?: "wasm") => {
    // This notice goes away with its buttons.
    focusTransport("train");
    continueRun(runId, backend);
  };
  return (
    <>
      <Button kind="primary" onPress={() => goOn()}>
        Continue from step {savedStep}
      </Button>
      {onGpu && <Button onPress={() => goOn("wasm")}>Continue on WebAssembly</Button>}
    </>
  );
}
