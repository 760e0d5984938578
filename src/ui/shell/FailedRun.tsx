// What can be done about a run that failed: go on from its last save, on another backend where its GPU
// may be the reason.
import { continueRun } from "../actions.ts";
import { Button } from "../controls/Button.tsx";
import { useRun } from "../store/runStore.ts";

export function FailedRun() {
  const runId = useRun((facts) => facts.runId);
  const savedStep = useRun((facts) => facts.savedStep);
  const onGpu = useRun((facts) => facts.backend?.id.includes("webgpu") ?? false);
  if (runId === null || savedStep === null) return null;
  return (
    <>
      <Button kind="primary" onPress={() => continueRun(runId)}>
        Continue from step {savedStep}
      </Button>
      {onGpu && <Button onPress={() => continueRun(runId, "wasm")}>Continue on WebAssembly</Button>}
    </>
  );
}
