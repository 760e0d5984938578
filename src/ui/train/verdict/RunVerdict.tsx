// How the run of a view is doing, above its charts: one sentence, and where something seems wrong the likely
// causes. Judged in turn with the charts: the tests read every step.
import { lazy, Suspense, useMemo } from "react";
import { paidParts } from "../../../protocol/run/paidParts.ts";
import type { RunHistory } from "../../../rl/verdict/history.ts";
import { judgeRun, type VerdictResult } from "../../../rl/verdict.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView } from "../../engine/store/useRunView.ts";
import { useInTurn } from "../../kit/charts/series/turns.ts";
import { Verdict } from "../../kit/verdict/Verdict.tsx";

const Causes = lazy(() => import("./Causes.tsx").then(({ Causes }) => ({ default: Causes })));

/** How the run of a view is judged, and what its causes are read from; null without one. */
export function useJudgedRun(): { readonly history: RunHistory; readonly result: VerdictResult } | null {
  const { metrics } = useRunView();
  const version = useVersion(metrics);
  const config = useRun((facts) => facts.config);
  const evaluations = useRun((facts) => facts.evaluations);
  const baselines = useRun((facts) => facts.baselines);
  const catalog = useEngine((facts) => facts.catalog);
  const rewards = useMemo(() => catalog && config && paidParts(config, catalog), [catalog, config]);
  const usual = catalog?.tasks.find(({ id }) => id === config?.task)?.config ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the columns
  const history = useMemo(
    () => config && { config, metric: (key: string) => metrics.series(key), evaluations, baselines, rewards, usual },
    [config, metrics, version, evaluations, baselines, rewards, usual],
  );
  const judged = useInTurn(history, true);
  return useMemo(() => judged && { history: judged, result: judgeRun(judged) }, [judged]);
}

export function RunVerdict() {
  const judged = useJudgedRun();
  if (!judged) return null;
  const { history, result } = judged;
  return (
    <section className="pb-1" aria-label="Verdict">
      <p className="run-verdict-line large">
        <Verdict result={result} /> <span className="soft">{result.sentence}</span>
      </p>
      <div className="causes flex flex-wrap">
        <Suspense>
          <Causes history={history} verdict={result.verdict} />
        </Suspense>
      </div>
    </section>
  );
}
