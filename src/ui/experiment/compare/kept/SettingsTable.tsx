// Every setting in which kept runs differ, a row each.
import { useEngine } from "../../../engine/store/useRunView.ts";
import type { Racer } from "../raceStore.ts";
import { titleOf } from "../result/RacerCells.tsx";
import { differingSettings, racerSetting } from "../result/raceSeries.ts";
import { settingText } from "../setup/racePlan.ts";

export function SettingsTable({ racers }: { readonly racers: readonly Racer[] }) {
  const catalog = useEngine((facts) => facts.catalog);
  if (!catalog || racers.length < 2) return null;
  const algorithms = new Set(racers.map(({ config }) => config?.algorithm));
  const textOf = (name: string, racer: Racer) =>
    (name === "algorithm" && catalog.algorithms.find(({ id }) => id === racer.config?.algorithm)?.title) ||
    settingText(catalog, name, racerSetting(racer, name) ?? "–");
  const names = [...(algorithms.size > 1 ? ["algorithm"] : []), ...differingSettings(racers)];
  return (
    <section className="stack" aria-label="Settings that differ">
      <h2>What differs</h2>
      {names.length === 0 && <p className="aside">Nothing but the seeds: what differs between these runs is chance.</p>}
      {names.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
        <section className="scrolls" tabIndex={0} aria-label="Settings of each">
          <table className="kept-table">
            <thead className="aside">
              <tr>
                <th scope="col">Setting</th>
                {racers.map(({ id }) => (
                  <th key={id} scope="col">
                    {id}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map((name) => (
                <tr key={name}>
                  <th scope="row">{titleOf(name)}</th>
                  {racers.map((racer) => (
                    <td key={racer.id}>{textOf(name, racer)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
