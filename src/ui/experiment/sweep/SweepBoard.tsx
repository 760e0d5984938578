// One sweep: how far it is, what it shows, its small charts and its table.
import { Pause, Play, Square, Trash2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { ProgressBar } from "react-aria-components";
import type { Catalog } from "../../../protocol/catalog.ts";
import { counted } from "../../../protocol/quantities.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import type { JudgedRace } from "../../../rl/race/recordedRace.ts";
import { goTo } from "../../engine/route.ts";
import { dateText } from "../../engine/saves/saveTexts.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { RaceResult } from "../compare/RaceHead.tsx";
import type { Racer } from "../compare/raceStore.ts";
import { judgedRace } from "../compare/result/raceResult.ts";
import type { KeptSweep } from "./keptSweeps.ts";
import { SmallMultiples } from "./result/SmallMultiples.tsx";
import { SweepTable } from "./result/SweepTable.tsx";
import { shareDone, stateOfRun, sweepState } from "./result/sweepTexts.ts";
import { sweptFields } from "./setup/sweepSetup.ts";
import { cancelSweep, goOnSweep, loadSweep, pauseSweep, removeSweep, setAtOnce } from "./sweepActions.ts";
import { sweepVersion, useSweeps } from "./sweepStore.ts";

/** Titles of what is swept: "Learning rate and Group size". */
export function sweptTitle(catalog: Catalog, { base, over }: KeptSweep["plan"]): string {
  const fields = sweptFields(catalog, base);
  return over.map(({ field }) => fields.find(({ key }) => key === field)?.title ?? field).join(" and ");
}

function AtOnce({ runs }: { readonly runs: number }) {
  const atOnce = useSweeps((facts) => facts.atOnce);
  const fitting = useSweeps((facts) => facts.fitting);
  const most = Math.min(runs, Math.max(8, navigator.hardwareConcurrency || 2));
  const options = [
    { id: "0", title: fitting === null ? "as many as fit" : `as many as fit (${fitting})` },
    ...Array.from({ length: most }, (_, i) => ({ id: String(i + 1), title: String(i + 1) })),
  ];
  return (
    <Choice
      className="sweep-at-once"
      label="Runs at once"
      value={String(atOnce ?? 0)}
      options={options}
      onChange={(id) => setAtOnce(id === "0" ? null : Number(id))}
    />
  );
}

/** Asks before a sweep is forgotten; its runs stay. */
function Remove({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button kind="quiet" onPress={() => setAsking(true)}>
        <Trash2 size={14} aria-hidden="true" /> Forget it
      </Button>
    );
  return (
    <span className="line">
      Forget the sweep? Its runs stay on Runs. <Button onPress={() => void removeSweep(id)}>Forget the sweep</Button>
      <Button onPress={() => setAsking(false)}>Keep it</Button>
    </span>
  );
}

interface BarProps {
  readonly sweep: KeptSweep;
  readonly racers: readonly Racer[];
  readonly isRead: boolean;
}

function SweepBar({ sweep: { id, plan, isCancelled }, racers, isRead }: BarProps) {
  const going = useSweeps((facts) => facts.going);
  const paused = useSweeps((facts) => facts.paused);
  const trainGoesOn = useRun((facts) => facts.state === "running" && facts.recording === null);
  const isHere = going === id;
  const states = racers.flatMap(({ runs }) => runs.map(stateOfRun));
  const left = states.filter((state) => state !== "finished").length;
  const goes = isHere && !paused;
  return (
    <div className="stack">
      <div className="race-controls line">
        <p role="status" aria-live="polite">
          {isRead ? sweepState(racers) : "Reading what its runs recorded …"}
          {isRead && isCancelled && left > 0 && "; it was cancelled"}
          {isRead && isHere && paused && "; paused"}
        </p>
        {goes && (
          <Button onPress={pauseSweep}>
            <Pause size={14} aria-hidden="true" /> Pause
          </Button>
        )}
        {!goes && isRead && left > 0 && (
          <Button kind="primary" onPress={() => void goOnSweep(id)}>
            <Play size={14} aria-hidden="true" /> Go on
          </Button>
        )}
        {isHere && (
          <Button onPress={() => void cancelSweep(id)}>
            <Square size={14} aria-hidden="true" /> Cancel
          </Button>
        )}
        <Button kind="quiet" onPress={() => goTo("runs", new URLSearchParams({ tag: plan.name }))}>
          Its runs
        </Button>
        {!isHere && <Remove key={id} id={id} />}
      </div>
      <ProgressBar aria-label="Steps taken of all runs" className="progress" value={shareDone(racers) * 100}>
        <span className="progress-fill" style={{ inlineSize: `${shareDone(racers) * 100}%` }} />
      </ProgressBar>
      <div className="line sweep-reading">
        {left > 0 && <AtOnce runs={plan.runs.length} />}
        {goes && trainGoesOn && (
          <p className="aside">
            The run on the <a href="#/train">Train screen</a> goes on too and takes processor time.
          </p>
        )}
        {goes && (
          <p className="aside">
            It goes on while this page is open, on whatever screen; closed, it can go on later from where each run stands.
          </p>
        )}
      </div>
    </div>
  );
}

/** The combination that is highest where all are compared. */
function bestOf({ standings }: JudgedRace): string | null {
  const means = standings.map(({ reached }) => meanOf(reached.values));
  return standings[means.indexOf(Math.max(...means))]?.id ?? null;
}

export function SweepBoard({ sweep, catalog }: { readonly sweep: KeptSweep; readonly catalog: Catalog }) {
  const { id, plan, createdAt } = sweep;
  const found = useSweeps((facts) => facts.loaded[id]);
  const isUp = useEngine(({ saves, status }) => saves !== null && (status === "ready" || status === "quiet"));
  const version = useVersion(sweepVersion);
  useEffect(() => {
    if (isUp) void loadSweep(id);
  }, [id, isUp]);
  const racers = found?.racers ?? [];
  const isOver = racers.length > 0 && racers.every(({ runs }) => runs.every(({ status }) => status === "done"));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the runs' columns
  const result = useMemo(() => (racers.length > 0 ? judgedRace(racers, "steps", null, isOver, "sweep") : null), [racers, isOver, version]);
  const task = catalog.tasks.find((each) => each.id === plan.base.task)?.title ?? plan.base.task;
  return (
    <>
      <header>
        <h1 className="sweep-title">
          {plan.name.replace(/^s/, "S")}: {sweptTitle(catalog, plan)}
        </h1>
        <p className="facts aside">
          <span>{task}</span>
          <span>
            {counted(plan.combinations.length, "combination")}, {counted(plan.runs.length, "run")} of {counted(plan.base.steps, "step")}
          </span>
          <span>{dateText(createdAt)}</span>
        </p>
      </header>
      {!isUp && !found && <p className="aside">The engine is loading …</p>}
      {found && result && (
        <>
          <SweepBar sweep={sweep} racers={racers} isRead={found.isRead} />
          <section aria-label="What the sweep shows">
            <RaceResult result={result} />
          </section>
          <SmallMultiples racers={racers} measure={result.measure} columns={plan.over[1]?.values.length ?? 1} bestId={bestOf(result)} />
          <SweepTable racers={racers} result={result} />
        </>
      )}
    </>
  );
}
