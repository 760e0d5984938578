// How much the runs take of what the browser gives this site, and which of them could make room.
import { memo, useMemo } from "react";
import { bytesText } from "../../../protocol/memory.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { sparesOf } from "./rows.ts";
import { choose } from "./runsStore.ts";

export const StorageLine = memo(function StorageLine({ rows }: { readonly rows: readonly SaveSummary[] }) {
  const bytes = useMemo(() => rows.reduce((sum, row) => sum + row.bytes, 0), [rows]);
  const spares = useMemo(() => sparesOf(rows, Date.now()), [rows]);
  // Asked again where the runs take another size; not every browser says anything of it.
  const { answer } = useAnswer(String(bytes), async () => navigator.storage?.estimate());
  if (rows.length === 0) return null;
  return (
    <section className="runs-storage stack" aria-label="Storage">
      <p className="aside">
        The runs take {bytesText(bytes, 1000)}
        {answer?.usage !== undefined &&
          answer.quota !== undefined &&
          `; with models and the page itself ${bytesText(answer.usage, 1000)} of the ${bytesText(answer.quota, 1000)} that the browser gives`}
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
