// How the run of a view is doing, above its charts: one sentence, and where something seems wrong the likely
// cause, its evidence and what to try on demand. Judged in turn with the charts: the tests read every step.
import { useMemo, useState } from "react";
import type { RunConfigKey } from "../../protocol/config.ts";
import { paidParts } from "../../protocol/run/paidParts.ts";
import { type Diagnosed, diagnose } from "../../rl/diagnosis/index.ts";
import { judgeRun } from "../../rl/verdict.ts";
import { useVersion } from "../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView } from "../engine/store/useRunView.ts";
import { formatNumber } from "../kit/charts/format.ts";
import { useInTurn } from "../kit/charts/series/turns.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Fold } from "../kit/controls/Fold.tsx";
import { Verdict } from "../kit/verdict/Verdict.tsx";

type Remedy = NonNullable<Diagnosed["remedy"]>;

/** Runs the likeliest help beside the run. */
function TryRemedy({ remedy: { settings } }: { readonly remedy: Remedy }) {
  const catalog = useEngine((facts) => facts.catalog);
  const [problem, setProblem] = useState<string | null>(null);
  const [setting] = Object.entries(settings) as [RunConfigKey, number][];
  if (!catalog || !setting) return null;
  const [key, value] = setting;
  const title = catalog.fields.find((field) => field.key === key)?.title ?? key;
  const begin = async () => {
    const { tryRemedy } = await import("../experiment/run/forkActions.ts");
    setProblem(tryRemedy(catalog, setting));
  };
  return (
    <>
      <Button onPress={() => void begin().catch((error: unknown) => setProblem(String(error)))}>
        Try {title} {formatNumber(value)} beside this run
      </Button>
      <p className="fine-print" role="status">
        {problem ?? "A branch from its start, with the same seed and this one change; the Compare screen shows both."}
      </p>
    </>
  );
}

function Cause({
  diagnosed: { diagnosis, evidence, tries, remedy },
  isFirst,
}: {
  readonly diagnosed: Diagnosed;
  readonly isFirst: boolean;
}) {
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
      {remedy && <TryRemedy remedy={remedy} />}
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
  const rewards = useMemo(() => catalog && config && paidParts(config, catalog), [catalog, config]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the columns
  const history = useMemo(
    () => config && { config, metric: (key: string) => metrics.series(key), evaluations, baselines, rewards },
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
