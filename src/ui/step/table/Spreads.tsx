// How the answers that were found are spread over the values of each column. Every bar is a button that keeps the answers under it.
import { Button as PlainButton } from "react-aria-components";
import { counted, measureText } from "../../../protocol/quantities.ts";
import type { ColumnCounts, TableColumn, TableCondition } from "../../../protocol/rollouts/rolloutTable.ts";

interface SpreadProps {
  readonly column: TableColumn;
  readonly counts: ColumnCounts;
  readonly onKeep: (condition: TableCondition) => void;
}

interface Bar {
  readonly label: string;
  readonly count: number;
  readonly keeps: TableCondition;
}

function barsOf({ id }: TableColumn, counts: ColumnCounts): readonly Bar[] {
  if (counts.kind === "word")
    return counts.words.map(({ word, count }) => ({
      label: word ?? "not known",
      count,
      keeps: { is: "one-of", column: id, words: [word] },
    }));
  const { from, to, bins } = counts;
  const width = (to - from) / bins.length;
  return bins.map((count, i) => {
    const low = from + i * width;
    const high = i === bins.length - 1 ? to : from + (i + 1) * width;
    return {
      label: low === high ? measureText(low) : `${measureText(low)} to ${measureText(high)}`,
      count,
      keeps: { is: "between" as const, column: id, from: low, to: high },
    };
  });
}

export function Spread({ column, counts, onKeep }: SpreadProps) {
  const bars = barsOf(column, counts);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const isWord = counts.kind === "word";
  if (bars.length === 0) return null;
  return (
    <section className={`spread ${isWord ? "spread-words" : ""}`} aria-label={column.title}>
      <h3 className="spread-title">{column.title}</h3>
      <div className="spread-bars flex">
        {bars.map(({ label, count, keeps }) => (
          <PlainButton
            key={label}
            className="spread-bar flex relative"
            isDisabled={count === 0}
            aria-label={`${column.title} ${label}: ${counted(count, "answer")}. Show these.`}
            onPress={() => onKeep(keeps)}
          >
            <span
              className="spread-fill"
              style={isWord ? { inlineSize: `${(100 * count) / most}%` } : { blockSize: `${(100 * count) / most}%` }}
            />
            {isWord && (
              <span className="spread-word flex justify-between gap-1 relative wrap-anywhere">
                <span className="mono">{label}</span> <b>{count}</b>
              </span>
            )}
          </PlainButton>
        ))}
      </div>
      {counts.kind === "number" && (
        <p className="spread-ends fine-print flex justify-between">
          <span>{measureText(counts.from)}</span>
          {counts.to > counts.from && <span>{measureText(counts.to)}</span>}
        </p>
      )}
    </section>
  );
}
