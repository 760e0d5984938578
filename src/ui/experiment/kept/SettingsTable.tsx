// Every setting in which kept runs differ, a row each.
import { useEngine } from "../../engine/store/useRunView.ts";
import { Table } from "../../kit/lists/Table.tsx";
import { differingSettings, settingOf } from "../charts/curves.ts";
import { settingText } from "../plan/varied.ts";
import { titleOf } from "../result/Cells.tsx";
import type { Combination } from "../run/experiments.ts";

export function SettingsTable({ combinations }: { readonly combinations: readonly Combination[] }) {
  const catalog = useEngine((facts) => facts.catalog);
  if (!catalog || combinations.length < 2) return null;
  const algorithms = new Set(combinations.map(({ config }) => config.algorithm));
  const textOf = (name: string, combination: Combination) => settingText(catalog, name, settingOf(combination, name) ?? "–");
  const names = [...(algorithms.size > 1 ? ["algorithm"] : []), ...differingSettings(combinations)];
  return (
    <section className="stack" aria-label="Settings that differ">
      <h2>What differs</h2>
      {names.length === 0 && <p className="aside">Only the seeds differ, so the differences between these runs are chance.</p>}
      {names.length > 0 && (
        <Table
          className="kept-table"
          headClassName="aside"
          region="Settings of each"
          heads={["Setting", ...combinations.map(({ id }) => id)]}
        >
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{titleOf(name)}</th>
              {combinations.map((combination) => (
                <td key={combination.id}>{textOf(name, combination)}</td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
