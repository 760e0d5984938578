// How much the runs take of what the browser gives this site, and which of them could make room.
import { memo, useEffect, useMemo, useState } from "react";
import { bytesText } from "../../../protocol/memory.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { sparesOf } from "./rows.ts";
import { choose } from "./runsStore.ts";

/** What the browser says of its storage; null where it does not. */
function useEstimate(bytes: number): { readonly used: number; readonly most: number } | null {
  const [estimate, setEstimate] = useState<{ readonly used: number; readonly most: number } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again where the runs take another size
  useEffect(() => {
    let isHere = true;
    const tell = ({ usage, quota }: StorageEstimate) =>
      isHere && usage !== undefined && quota !== undefined && setEstimate({ used: usage, most: quota });
    navigator.storage?.estimate().then(tell, () => {});
    return () => {
      isHere = false;
    };
  }, [bytes]);
  return estimate;
}

export const StorageLine = memo(function StorageLine({ rows }: { readonly rows: readonly SaveSummary[] }) {
  const bytes = useMemo(() => rows.reduce((sum, row) => sum + row.bytes, 0), [rows]);
  const spares = useMemo(() => sparesOf(rows, Date.now()), [rows]);
  const estimate = useEstimate(bytes);
  if (rows.length === 0) return null;
  return (
    <section className="runs-storage stack" aria-label="Storage">
      <p className="aside">
        The runs take {bytesText(bytes, 1000)}
        {estimate &&
          `; with models and the page itself ${bytesText(estimate.used, 1000)} of the ${bytesText(estimate.most, 1000)} that the browser gives`}
        .
      </p>
      {spares.map(({ title, runIds, bytes: size }) => (
        <p key={title} className="aside line">
          {counted(runIds.length, "run")} ({bytesText(size, 1000)}) {title}.
          <Button
            kind="quiet"
            onPress={() => choose(runIds, true)}
            label={`Choose ${runIds.length === 1 ? "it" : "them"}: ${counted(runIds.length, "run")} ${title}`}
          >
            Choose {runIds.length === 1 ? "it" : "them"}
          </Button>
        </p>
      ))}
    </section>
  );
});
