// The screen Runs: all runs that are kept in this browser, to be found, named, compared, opened and deleted. A key in the search
// draws its text alone: all other parts are drawn anew for what they show, and not for what is typed.
import { lazy, memo, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { counted } from "../../../protocol/quantities.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { useHash } from "../../engine/address/hash.ts";
import { goTo, hashOf, parseRoute, placeIn, replaceQuery } from "../../engine/route.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { ExperimentsOfRuns } from "../../experiment/ExperimentsOfRuns.tsx";
import { listSaves } from "../../experiment/run/actions.ts";
import { Button, Stepper } from "../../kit/controls/Button.tsx";
import { NotThereLine } from "../../kit/controls/NotThere.tsx";
import { EXAMPLES } from "../replay/examples.ts";
import { ChosenBar } from "./ChosenBar.tsx";
import { RunDetail } from "./RunDetail.tsx";
import { RunFilters } from "./RunFilters.tsx";
import { ALL_ROWS, rowsFor } from "./rows.ts";
import { ask, undoDelete, useRuns } from "./runsStore.ts";
import { StorageLine } from "./StorageLine.tsx";
import { RunTable } from "./table/RunTable.tsx";
import "../saves/saves.css";
import "../../kit/verdict/verdict.css";
import "./runs.css";

/** Rows of a page. */
const SHOWN = 25;

const ImportRuns = lazy(() => import("../saves/ImportRuns.tsx").then(({ ImportRuns }) => ({ default: memo(ImportRuns) })));

/** What was done last, and what can be undone. */
const Done = memo(function Done() {
  const leaving = useRuns((facts) => facts.leaving);
  const canUndo = useRuns((facts) => facts.canUndo);
  const said = useRuns((facts) => facts.said);
  const problem = useRuns((facts) => facts.problem);
  return (
    <div className="runs-done">
      <div role="status" className="line">
        {leaving.length > 0 && (
          <>
            <span>
              {canUndo ? "Will be deleted in a moment" : "Deleting"}: {counted(leaving.length, "run")}.
            </span>
            {canUndo && <Button onPress={undoDelete}>Undo</Button>}
          </>
        )}
        {leaving.length === 0 && said !== null && <span className="aside">{said}</span>}
      </div>
      <div role="alert">{problem !== null && <p className="save-problem">{problem}</p>}</div>
    </div>
  );
});

function NoRuns() {
  return (
    <div className="stack">
      <p>No runs are saved here yet. This page saves every run as it trains. You can bring runs of the command line as files, below.</p>
      <p>
        <Button kind="primary" onPress={() => goTo("train")}>
          Train the first one
        </Button>
      </p>
    </div>
  );
}

/** The runs that come with the page. They are opened as recordings, and kept where somebody wants that. */
const RecordedExamples = memo(function RecordedExamples() {
  return (
    <section className="side-list" aria-labelledby="runs-examples">
      <h2 id="runs-examples">Recorded runs that come with the page</h2>
      <ul>
        {EXAMPLES.map(({ id, title, says }) => (
          <li key={id}>
            <a href={`#/replay?example=${id}`}>{title}</a> <span className="aside">{says}</span>
          </li>
        ))}
      </ul>
    </section>
  );
});

const showPage = (next: number) => useRuns.setState({ page: next - 1 });

/** Which page of the table is shown, where it has several. */
const Pages = memo(function Pages({ at, pages }: { readonly at: number; readonly pages: number }) {
  return (
    <Stepper name="page" value={at + 1} least={1} most={pages} onChange={showPage}>
      page {at + 1} of {pages}
    </Stepper>
  );
});

/** An address that names a tag asks for its runs; from then on the filters say so. */
function useTagOf(tag: string | null): void {
  useLayoutEffect(() => {
    if (tag === null) return;
    ask({ ...ALL_ROWS, tag });
    replaceQuery("runs", {});
  }, [tag]);
}

/** A run that was there and is deleted leaves the address, which would else ask for it in vain. */
function useDeletedOf(runId: string | null, isThere: boolean): void {
  const seen = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (isThere) seen.current = runId;
    else if (runId !== null && seen.current === runId) replaceQuery("runs", {});
  }, [runId, isThere]);
}

/** The addresses of all runs are made only where one is asked for in vain: there can be thousands. */
function MissedRun({ runId, saves }: { readonly runId: string; readonly saves: readonly SaveSummary[] }) {
  const known = useMemo(
    () => saves.map((each) => ({ id: each.runId, title: each.name, href: hashOf("runs", { run: each.runId }) })),
    [saves],
  );
  return <NotThereLine kind="run" name={runId} known={known} />;
}

export function RunsScreen() {
  const saves = useEngine((facts) => facts.saves);
  const isKnown = useEngine((facts) => facts.catalog !== null);
  const reason = useEngine((facts) => facts.storageProblem);
  const { query, page, chosen, leaving } = useRuns();
  const isUp = saves !== null;
  // Other tabs save runs too, and so do the workers of sweeps.
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    if (isUp) void listSaves().then(() => setListed(true));
  }, [isUp]);
  const address = placeIn("runs", parseRoute(useHash()).query);
  const opened = address.run;
  useTagOf(address.tag);
  const isThere = opened !== null && (saves?.some(({ runId }) => runId === opened) ?? false);
  useDeletedOf(opened, isThere);
  const all = useMemo(() => (saves ?? []).filter(({ runId }) => !leaving.includes(runId)), [saves, leaving]);
  // The typed text is drawn at once, the rows that it leaves right after.
  const asked = useDeferredValue(query);
  const found = useMemo(() => rowsFor(all, asked), [all, asked]);
  const row = all.find(({ runId }) => runId === opened);
  const pages = Math.max(1, Math.ceil(found.length / SHOWN));
  const at = Math.min(page, pages - 1);
  const shown = useMemo(() => found.slice(at * SHOWN, (at + 1) * SHOWN), [found, at]);
  return (
    <div className="runs grid grid-cols-1 content-start gap-1">
      <h1 className="title">Runs</h1>
      {reason !== null && <p className="save-problem">Nothing is saved at present: {reason}</p>}
      {(saves === null || !isKnown) && reason === null && <p className="aside">Looking for saved runs …</p>}
      {saves !== null && isKnown && (
        <>
          {isListed && opened !== null && !isThere && <MissedRun runId={opened} saves={saves} />}
          {all.length > 0 && <RunFilters rows={all} query={query} />}
          {all.length > 0 && <ChosenBar all={all} found={found} chosen={chosen} />}
          <Done />
          {all.length === 0 && leaving.length === 0 && reason === null && <NoRuns />}
          <div className="runs-board grid grid-cols-1 items-start gap-3" data-opened={row !== undefined || undefined}>
            <div className="runs-list">
              {all.length > 0 && found.length === 0 && <p className="aside">No run is like that.</p>}
              {shown.length > 0 && <RunTable rows={shown} query={asked} chosen={chosen} opened={row?.runId ?? null} />}
              {pages > 1 && <Pages at={at} pages={pages} />}
            </div>
            {row && <Opened key={`${row.runId} ${address.fork}`} row={row} all={all} />}
          </div>
          <ExperimentsOfRuns rows={all} />
          <RecordedExamples />
          <StorageLine rows={all} />
          <ImportRuns isWanted={address.bring} />
        </>
      )}
    </div>
  );
}

/** Takes the focus when it opens, since it stands far from the row. */
const Opened = memo(function Opened(props: Parameters<typeof RunDetail>[0] & { readonly row: SaveSummary }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.focus(), []);
  return (
    <div ref={frame} tabIndex={-1} className="runs-opened">
      <RunDetail {...props} />
    </div>
  );
});
