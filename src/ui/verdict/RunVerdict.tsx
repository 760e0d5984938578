// How the run of a view is doing, above its charts: one sentence, and where something seems wrong the likely
// cause, its evidence and what to try on demand. Judged in turn with the charts: the tests read every step.
import { useMemo } from "react";
import { type Diagnosed, diagnose } from "../../rl/diagnosis/index.ts";
import { judgeRun } from "../../rl/verdict.ts";
import { useInTurn } from "../charts/series/turns.ts";
import { Fold } from "../controls/Fold.tsx";
import { useVersion } from "../store/metricSeries.ts";
import { useEngine, useRun, useRunView } from "../store/useRunView.ts";
import { Verdict } from "./Verdict.tsx";

function Cause({ diagnosed: { diagnosis, evidence, tries }, isFirst }: { readonly diagnosed: Diagnosed; readonly isFirst: boolean }) {
  return (
    <Fold title={`${isFirst ? "Likely" : "Also"}: ${diagnosis.title}`} className="cause" panelClassName="cause-panel">
      <p>{diagnosis.explains}</p>
      <p>
        <b>Evidence.</b> {evidence}
      </p>
      <p>
        <b>What to try</b>, the likeliest help first:
      </p>
      <ul>
        {tries.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </Fold>
  );
}

export function RunVerdict() {
  const { metrics } = useRunView();
  const version = useVersion(metrics);
  const config = useRun((facts) => facts.config);
  const evaluations = useRun((facts) => facts.evaluations);
  const baselines = useRun((facts) => facts.baselines);
  const catalog = useEngine((facts) => facts.catalog);
  const rewards = catalog?.tasks.find(({ id }) => id === config?.task)?.rewards;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the columns
  const history = useMemo(
    () => config && { config, metric: (key: string) => metrics.series(key), evaluations, baselines, ...(rewards ? { rewards } : {}) },
    [config, metrics, version, evaluations, baselines, rewards],
  );
  const judged = useInTurn(history, true);
  const result = useMemo(() => judged && judgeRun(judged), [judged]);
  const causes = useMemo(() => (judged && result ? diagnose(judged, result.verdict) : []), [judged, result]);
  if (!result) return null;
  return (
    <section className="run-verdict" aria-label="Verdict">
      <p className="run-verdict-line">
        <Verdict result={result} /> <span className="soft">{result.sentence}</span>
      </p>
      <div className="causes">
        {causes.map((each, place) => (
          <Cause key={each.diagnosis.id} diagnosed={each} isFirst={place === 0} />
        ))}
      </div>
    </section>
  );
}
