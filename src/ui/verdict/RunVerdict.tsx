// How the run of a view is doing, as one sentence above its charts. Judged in turn with the charts: the
// tests read every step.
import { useMemo } from "react";
import { judgeRun } from "../../rl/verdict.ts";
import { useInTurn } from "../charts/turns.ts";
import { useRun, useRunView } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";
import { Verdict } from "./Verdict.tsx";

export function RunVerdict() {
  const { metrics } = useRunView();
  const version = useVersion(metrics);
  const config = useRun((facts) => facts.config);
  const evaluations = useRun((facts) => facts.evaluations);
  const baselines = useRun((facts) => facts.baselines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the columns
  const history = useMemo(
    () => config && { config, metric: (key: string) => metrics.series(key), evaluations, baselines },
    [config, metrics, version, evaluations, baselines],
  );
  const judged = useInTurn(history, true);
  const result = useMemo(() => judged && judgeRun(judged), [judged]);
  if (!result) return null;
  return (
    <section className="run-verdict" aria-label="Verdict">
      <p>
        <Verdict result={result} /> <span className="run-verdict-why">{result.sentence}</span>
      </p>
    </section>
  );
}
