// A table: what it is called, the headings of its columns, and the frame that it scrolls in where it is wider than its place.
import type { ReactElement, ReactNode } from "react";

/** A heading, with a class where its column has one of its own. */
export type TableHead = string | ReactElement | { readonly head: ReactNode; readonly className: string };

/** The row of headings. */
export function Heads({ of, className }: { readonly of: readonly TableHead[]; readonly className?: string | undefined }) {
  return (
    <thead className={className}>
      <tr>
        {of.map((each, column) => {
          const { head, className: own } = typeof each === "object" && "head" in each ? each : { head: each, className: undefined };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a heading is its column
            <th key={column} scope="col" className={own}>
              {head}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface TableProps {
  /** None where the rows explain themselves. */
  readonly heads?: readonly TableHead[];
  /** What it is called: above the rows where `isCaptioned`, and else for those alone who do not see it. */
  readonly caption?: string;
  readonly isCaptioned?: boolean;
  readonly className?: string;
  readonly headClassName?: string;
  /** Classes of the frame; null for a table that needs none. */
  readonly frame?: string | null;
  /** What the frame is called where nothing in it takes the focus: the keyboard then scrolls it. */
  readonly region?: string;
  readonly children: ReactNode;
}

export function Table({ heads, caption, isCaptioned = false, className, headClassName, frame = "scrolls", region, children }: TableProps) {
  const table = (
    <table className={className}>
      {caption && <caption className={isCaptioned ? undefined : "visually-hidden"}>{caption}</caption>}
      {heads && <Heads of={heads} className={headClassName} />}
      <tbody>{children}</tbody>
    </table>
  );
  if (frame === null) return table;
  if (region === undefined) return <div className={frame}>{table}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section className={frame} aria-label={region} tabIndex={0}>
      {table}
    </section>
  );
}
