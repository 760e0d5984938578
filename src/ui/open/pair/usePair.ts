// What the engine answers about two runs: asked again when the question changes, or the files are read otherwise.
import { useEffect, useState } from "react";
import { errorText } from "../../../protocol/problems.ts";
import type { PairAnswer, PairQuery } from "../../../protocol/rollouts/runPair.ts";
import { engine } from "../../engine/client.ts";
import { useTraced } from "../../engine/store/useRunView.ts";

interface FoundPair {
  /** The last answer, while the next one is awaited too. */
  readonly answer: PairAnswer | null;
  readonly problem: string | null;
}

export function usePair(query: PairQuery): FoundPair & { readonly isAsking: boolean } {
  const traced = useTraced();
  const key = JSON.stringify(query);
  const [found, setFound] = useState<FoundPair & { readonly of: unknown }>({ answer: null, problem: null, of: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the question
  useEffect(() => {
    if (!traced) return;
    let isCurrent = true;
    engine.request({ type: "pair", query }).then(
      (answer) => isCurrent && setFound({ answer, problem: null, of: key }),
      (error: unknown) => isCurrent && setFound({ answer: null, problem: errorText(error), of: key }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, traced]);
  return { answer: found.answer, problem: found.problem, isAsking: found.of !== key };
}
