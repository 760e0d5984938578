// The columns of somebody's rollouts: what each was taken for, an example, and another role where that is wrong.
import { useState } from "react";
import { TRACE_ROLES, type TraceColumn, type TraceRole } from "../../protocol/rollouts/traces.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Choice, optionsOf } from "../kit/controls/Choice.tsx";
import { Table } from "../kit/lists/Table.tsx";
import { canReadAgain, choiceNow, readAgain } from "./openFiles.ts";

const ROLES: Readonly<Record<TraceRole, string>> = {
  prompt: "prompt",
  completion: "answer of the policy",
  messages: "whole conversation",
  answer: "expected answer",
  reward: "reward, in total",
  part: "part of the reward",
  advantage: "advantage",
  group: "group",
  step: "step",
  stop: "why it ended",
  "prompt-ids": "token ids of the prompt",
  "answer-ids": "token ids of the answer",
  logprobs: "log-probs as sampled",
  "trainer-logprobs": "log-probs in training",
  "reference-logprobs": "log-probs of the reference",
  mask: "1 where the policy sampled",
  success: "whether it is right",
  other: "nothing, only shown",
};

const ROLE_OPTIONS = optionsOf(ROLES);

/** What somebody chose of a column, as it stands in the table. */
interface Edited {
  readonly role: TraceRole;
  /** The weight of a part as typed; empty where nobody knows it. */
  readonly weight: string;
}

const editedOf = ({ role, weight }: TraceColumn): Edited => ({
  role,
  weight: weight === undefined || weight === null ? "" : String(weight),
});

const weightOf = (typed: string): number | null => (typed.trim() === "" ? null : Number(typed));

interface RowProps {
  readonly column: TraceColumn;
  readonly edited: Edited;
  readonly onChange: (edited: Edited) => void;
}

function Row({ column: { name, example }, edited, onChange }: RowProps) {
  const isBad = edited.role === "part" && Number.isNaN(weightOf(edited.weight));
  return (
    <tr>
      <th scope="row" className="mono">
        {name}
      </th>
      <td>
        <Choice
          label={<span className="visually-hidden">Role of {name}</span>}
          value={edited.role}
          options={ROLE_OPTIONS}
          onChange={(id) => {
            const role = TRACE_ROLES.find((each) => each === id);
            if (role) onChange({ ...edited, role });
          }}
        />
      </td>
      <td>
        {edited.role === "part" && (
          <input
            className="input input-boxed open-weight"
            aria-label={`Weight of ${name}`}
            aria-invalid={isBad || undefined}
            inputMode="decimal"
            placeholder="not known"
            value={edited.weight}
            onChange={(event) => onChange({ ...edited, weight: event.target.value })}
          />
        )}
      </td>
      <td className="open-example mono nowrap">{example}</td>
    </tr>
  );
}

export function ColumnTable({ columns }: { readonly columns: readonly TraceColumn[] }) {
  const [edits, setEdits] = useState<Readonly<Record<string, Edited>>>({});
  if (columns.length === 0) return null;
  const changed = columns.filter((column) => {
    const edit = edits[column.name];
    return edit && JSON.stringify(edit) !== JSON.stringify(editedOf(column));
  });
  const bad = changed.find(({ name }) => edits[name]!.role === "part" && Number.isNaN(weightOf(edits[name]!.weight)));
  const apply = () => {
    const chosen = changed.map(({ name }) => {
      const { role, weight } = edits[name]!;
      return [name, role === "part" ? { role, weight: weightOf(weight) } : { role }] as const;
    });
    void readAgain({ ...choiceNow(), columns: { ...choiceNow().columns, ...Object.fromEntries(chosen) } });
  };
  return (
    <section aria-labelledby="open-columns">
      <h3 id="open-columns">Columns</h3>
      <Table className="open-columns w-full" headClassName="note" heads={["Name", "Taken for", "Weight", "Example"]}>
        {columns.map((column) => (
          <Row
            key={column.name}
            column={column}
            edited={edits[column.name] ?? editedOf(column)}
            onChange={(edit) => setEdits({ ...edits, [column.name]: edit })}
          />
        ))}
      </Table>
      {bad && (
        <p className="field-error">
          The weight of {bad.name} must be a number, got "{edits[bad.name]!.weight}"
        </p>
      )}
      {canReadAgain() && (
        <div className="actions">
          <Button isResting={changed.length === 0 || bad !== undefined} onPress={apply}>
            Read again
          </Button>
          <span className="note" role="status">
            {changed.length === 0 ? "Change a role where it is wrong." : `Changed: ${changed.map(({ name }) => name).join(", ")}`}
          </span>
        </div>
      )}
    </section>
  );
}
