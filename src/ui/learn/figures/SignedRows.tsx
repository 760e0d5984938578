// Rows with a bar to the right for what is pushed up and to the left for what is pushed down: the members of a
// group, or settings side by side.
import type { ReactNode } from "react";
import { Signed, SignedBar } from "../../kit/controls/Signed.tsx";

export interface SignedRow {
  readonly label: ReactNode;
  readonly key: string;
  readonly value: number;
  /** Stands between the label and the bar. */
  readonly detail?: ReactNode;
}

export function SignedRows({ rows, most, head }: { readonly rows: readonly SignedRow[]; readonly most: number; readonly head: string }) {
  return (
    <div className="signed-rows">
      <p className="fine-print signed-rows-head">{head}</p>
      {rows.map(({ key, label, value, detail }) => (
        <div key={key} className="signed-row">
          <span className="signed-row-label">{label}</span>
          {detail !== undefined && <span className="signed-row-detail">{detail}</span>}
          <SignedBar value={value} most={most} />
          <span className="signed-row-number">
            <Signed value={value} />
          </span>
        </div>
      ))}
    </div>
  );
}
