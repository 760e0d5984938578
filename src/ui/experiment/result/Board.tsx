// One experiment: how far it is, what it shows, its table and its curves, whether it trains here or was kept long ago.
import { type ReactNode, useEffect, useState } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { counted } from "../../../protocol/quantities.ts";
import { goTo } from "../../engine/route.ts";
import { replayRun } from "../../engine/saves/saveActions.ts";
import { dateText } from "../../engine/saves/saveTexts.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { Charts } from "../charts/Charts.tsx";
import { experimentTitle } from "../plan/varied.ts";
import { loadExperiment } from "../run/actions.ts";
import { type Combination, type ExperimentRun, useExperiments } from "../run/experiments.ts";
import type { KeptExperiment } from "../run/keptExperiments.ts";
import type { Shape } from "../shapes/shape.ts";
import { Bar } from "./Bar.tsx";
import { useJudged } from "./judged.ts";
import { Reading } from "./Reading.tsx";
import { ResultTable } from "./ResultTable.tsx";
import { RunRollouts } from "./RunRollouts.tsx";

interface ResultProps {
  readonly combinations: readonly Combination[];
  readonly shape: Shape;
  /** How many values a second field has. */
  readonly columns?: number;
  readonly isStopped?: boolean;
  /** Stands above all of it. */
  readonly children?: ReactNode;
}

/** What combinations show, and in its place the rollouts of one of their runs, as far as the page has them: else its save is opened. */
export function Result({ combinations, shape, columns = 1, isStopped = false, children }: ResultProps) {
  const result = useJudged(combinations, shape);
  const [opened, setOpened] = useState<string | null>(null);
  const combination = combinations.find(({ runs }) => runs.some(({ id }) => id === opened));
  const run = combination?.runs.find(({ id }) => id === opened);
  const open = (chosen: ExperimentRun) => {
    const isHere = chosen.status === "running" || chosen.view.groups.heldSteps().length > 0;
    if (isHere && shape.keepsRollouts) return setOpened(chosen.id);
    goTo("rollouts");
    replayRun(chosen.id);
  };
  const charts = <Charts combinations={combinations} shape={shape} result={result} columns={columns} />;
  const shown = (
    <>
      <Reading combinations={combinations} shape={shape} result={result} />
      {shape.curves === "one each" && charts}
      <ResultTable combinations={combinations} shape={shape} result={result} isStopped={isStopped} onOpen={open} />
      {shape.curves !== "one each" && charts}
    </>
  );
  return (
    <>
      {children}
      {combination && run ? (
        <RunRollouts key={run.id} combination={combination} run={run} what={shape.words.what} onClose={() => setOpened(null)} />
      ) : (
        shown
      )}
    </>
  );
}

interface BoardProps {
  readonly experiment: KeptExperiment;
  readonly shape: Shape;
  readonly catalog: Catalog;
}

export function Board({ experiment, shape, catalog }: BoardProps) {
  const { id, plan, createdAt, isCancelled } = experiment;
  const loaded = useExperiments((facts) => facts.loaded[id]);
  const isUp = useEngine(({ saves, status }) => saves !== null && (status === "ready" || status === "quiet"));
  useEffect(() => {
    if (isUp) void loadExperiment(id);
  }, [id, isUp]);
  const task = catalog.tasks.find((each) => each.id === plan.base.task)?.title ?? plan.base.task;
  return (
    <>
      <header>
        <h1 className="title wrap-anywhere">{experimentTitle(catalog, plan)}</h1>
        <p className="facts aside">
          <span>{task}</span>
          <span>
            {counted(plan.combinations.length, shape.words.combination)}, {counted(plan.runs.length, "run")} of{" "}
            {counted(plan.base.steps, "step")}
          </span>
          <span>{dateText(createdAt)}</span>
        </p>
      </header>
      {!isUp && !loaded && <p className="aside">The engine is loading …</p>}
      {loaded && (
        <Result combinations={loaded.combinations} shape={shape} columns={plan.over[1]?.values.length ?? 1} isStopped={isCancelled}>
          <Bar experiment={experiment} shape={shape} loaded={loaded} />
        </Result>
      )}
    </>
  );
}
