// What the engine has recorded of the same prompts: asked for as the screen opens, and again while steps pass.

import { useEffect, useRef, useState } from "react";
import type { Probed } from "../../../protocol/asked.ts";
import { errorText } from "../../../protocol/problems.ts";
import { engine } from "../../engine/client.ts";
import { useRun } from "../../engine/store/useRunView.ts";

const ASK_EVERY_MS = 1_000;

export interface FoundProbes {
  /** Null until there is an answer. */
  readonly probed: Probed | null;
  /** What the engine answered instead. */
  readonly problem: string | null;
}

const NOTHING: FoundProbes = { probed: null, problem: null };

/** The run's records; of an answer that has nothing new the one before stays. */
export function useProbed(): FoundProbes {
  const runId = useRun((facts) => facts.runId);
  const step = useRun((facts) => facts.step);
  const state = useRun((facts) => facts.state);
  const [found, setFound] = useState<FoundProbes & { readonly of: string | null }>({ ...NOTHING, of: null });
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const current = useRef<string | null>(null);
  current.current = runId;
  useEffect(
    () => () => {
      current.current = null;
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: steps and states make new records
  useEffect(() => {
    if (runId === null || state === "preparing") return;
    const take = (next: FoundProbes) => {
      if (current.current !== runId) return;
      setFound((before) => {
        const isSame =
          before.of === runId && next.probed !== null && before.probed?.records.at(-1)?.step === next.probed.records.at(-1)?.step;
        return isSame ? before : { ...next, of: runId };
      });
    };
    const ask = () => {
      askedAt.current = performance.now();
      engine.request({ type: "probes" }).then(
        (probed) => take({ probed, problem: null }),
        (error: unknown) => take({ probed: null, problem: errorText(error) }),
      );
    };
    const timer = setTimeout(ask, Math.max(0, askedAt.current + ASK_EVERY_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [runId, step, state]);
  return found.of === runId ? found : NOTHING;
}
