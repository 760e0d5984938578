// Two versions of a thing line by line, as its file has them: lines that went have a minus and a shade, lines that came a plus
// and another. Long stretches that are the same are left out but for a few lines around what differs.
import { diffLines } from "diff";
import { ownFileText } from "../../../../protocol/custom/ownFile.ts";
import type { OwnThing } from "../../../../protocol/custom/ownThings.ts";

interface DifferenceLine {
  readonly is: "same" | "gone" | "new" | "skipped";
  readonly text: string;
}

/** Lines that stay around what differs. */
const AROUND = 3;

/** The lines of both texts; no line where they are equal. */
export function lineDifference(before: string, after: string): readonly DifferenceLine[] {
  const lines = diffLines(before, after).flatMap(({ value, added, removed }): DifferenceLine[] =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((text) => ({ is: added ? "new" : removed ? "gone" : "same", text })),
  );
  if (lines.every(({ is }) => is === "same")) return [];
  const isNear = (at: number) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ is }) => is !== "same");
  return lines.flatMap((line, at): DifferenceLine[] => {
    if (isNear(at)) return [line];
    return at === 0 || isNear(at - 1) ? [{ is: "skipped", text: "…" }] : [];
  });
}

/** What of a thing differs from another of its kind. */
export function thingDifference(before: OwnThing, after: OwnThing): readonly DifferenceLine[] {
  return lineDifference(ownFileText({ thing: before, data: null }), ownFileText({ thing: { ...after, name: before.name }, data: null }));
}
const MARKS: Readonly<Record<DifferenceLine["is"], string>> = { same: " ", gone: "−", new: "+", skipped: " " };
const SAID: Readonly<Record<DifferenceLine["is"], string>> = { same: "", gone: "gone: ", new: "new: ", skipped: "unchanged lines" };

export function Difference({ label, lines }: { readonly label: string; readonly lines: readonly DifferenceLine[] }) {
  if (lines.length === 0) return <p className="aside">Both are the same.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that what is long can be scrolled by keyboard
    <section className="difference small framed" aria-label={label} tabIndex={0}>
      {lines.map(({ is, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <div key={i} className={`difference-line difference-${is}`}>
          <span aria-hidden="true">{MARKS[is]}</span>
          <span className="wrap-anywhere keeps-lines">
            {SAID[is] && <span className="visually-hidden">{SAID[is]}</span>}
            {text === "" ? " " : text}
          </span>
        </div>
      ))}
    </section>
  );
}
