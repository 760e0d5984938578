// What stands beside each run's name in the table, one entry a column. The curve is as high as a line of text; its ends
// are said in words, for those who do not see it.
import type { ReactNode } from "react";
import type { Catalog } from "../../../../protocol/catalog.ts";
import { bytesText } from "../../../../protocol/memory.ts";
import { measureText, shareText } from "../../../../protocol/quantities.ts";
import type { RunDigest, SaveSummary } from "../../../../protocol/run/runSummary.ts";
import { dateText, stepText } from "../../../engine/saves/saveTexts.ts";
import { VERDICT_GLYPHS } from "../../../kit/verdict/Verdict.tsx";
import { algorithmOf, type SortKey } from "../rows.ts";

const WIDTH = 84;
const HEIGHT = 20;

function Sparkline({ digest: { curve, measure } }: { readonly digest: RunDigest }) {
  const first = curve[0];
  const last = curve.at(-1);
  if (first === undefined || last === undefined) return <span className="fine-print">–</span>;
  const low = Math.min(...curve);
  const high = Math.max(...curve);
  const x = (i: number) => (curve.length === 1 ? WIDTH / 2 : 1 + (i * (WIDTH - 2)) / (curve.length - 1));
  const y = (value: number) => (high === low ? HEIGHT / 2 : 2 + ((high - value) / (high - low)) * (HEIGHT - 4));
  const points = curve.map((value, i) => `${x(i)},${y(value)}`);
  const said = `${measure} from ${measureText(first)} to ${measureText(last)}`;
  return (
    <svg className="block" width={WIDTH} height={HEIGHT} role="img" aria-label={said}>
      <title>{said}</title>
      {points.length === 1 ? (
        <circle cx={x(0)} cy={y(first)} r="2" fill="var(--accent)" />
      ) : (
        <polyline points={points.join(" ")} fill="none" stroke="var(--accent)" strokeWidth="1.5" />
      )}
    </svg>
  );
}

interface Column {
  readonly title: string;
  readonly sort?: SortKey;
  readonly cell: (row: SaveSummary, catalog: Catalog) => ReactNode;
}

/** Titles of a run's task and of what trains it. */
export function subjectText({ tasks, algorithms }: Catalog, row: SaveSummary): string {
  const titleOf = (entries: readonly { readonly id: string; readonly title: string }[], id: string) =>
    entries.find((entry) => entry.id === id)?.title ?? id;
  if (!row.config) return "";
  const algorithm = algorithmOf(row);
  return `${titleOf(tasks, row.config.task)}, ${algorithm === "supervised" ? algorithm : titleOf(algorithms, algorithm)}`;
}

export const COLUMNS: readonly Column[] = [
  { title: "Task and algorithm", cell: (row, catalog) => subjectText(catalog, row) },
  { title: "Steps", sort: "step", cell: (row) => stepText(row).replace(/^step /, "") },
  { title: "Curve", cell: ({ digest }) => digest && <Sparkline digest={digest} /> },
  {
    title: "Reward",
    sort: "final",
    cell: ({ digest }) =>
      digest && digest.final !== null && (digest.measure === "loss" ? `loss ${measureText(digest.final)}` : measureText(digest.final)),
  },
  { title: "Right", sort: "right", cell: ({ digest }) => digest && digest.accuracy !== null && shareText(digest.accuracy) },
  {
    title: "Verdict",
    sort: "verdict",
    cell: ({ digest }) =>
      digest && (
        <>
          <span className="verdict semibold" data-worse={digest.verdict === "falling" || undefined}>
            <span aria-hidden="true">{VERDICT_GLYPHS[digest.verdict]}</span> {digest.verdict}
          </span>
          {digest.cause !== undefined && <span className="fine-print"> likely: {digest.cause}</span>}
        </>
      ),
  },
  { title: "Saved", sort: "saved", cell: ({ savedAt }) => <time dateTime={new Date(savedAt).toISOString()}>{dateText(savedAt)}</time> },
  { title: "Size", sort: "bytes", cell: ({ bytes }) => bytes > 0 && bytesText(bytes, 1000) },
];
