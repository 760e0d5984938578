// Sets a race up: what to start from, the one thing that varies, and its two to four values.
import { Play, Plus, X } from "lucide-react";
import { useMemo, useState } from "react";
import type { Catalog } from "../../protocol/catalog.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { Button } from "../controls/Button.tsx";
import { Choice } from "../controls/Choice.tsx";
import { NumberInput } from "../controls/TextInput.tsx";
import { resolveDraft } from "../store/draftConfig.ts";
import { useDraft } from "../store/draftStore.ts";
import { useEngine } from "../store/useRunView.ts";
import { startRace } from "./raceActions.ts";
import { otherValue, plannedRacers, RACER_LIMIT, type Setting, suggestedValues, variedFields } from "./racePlan.ts";
import { SettingInput, type Varied, VariedField } from "./SettingInput.tsx";

const DRAFT = "draft";

/** The configurations a race can start from: the Train screen's, and every reinforcement preset. */
function useBases(
  catalog: Catalog,
): readonly { readonly id: string; readonly title: string; readonly group?: string; readonly config: RunConfig }[] {
  const draft = useDraft((facts) => facts.draft);
  return useMemo(() => {
    const presets = catalog.presets.map(({ id, title, group }) => ({
      id,
      title,
      ...(group ? { group } : {}),
      config: resolveDraft(catalog, { presetId: id, edits: {} }).config,
    }));
    const own = { id: DRAFT, title: "As on the Train screen", config: resolveDraft(catalog, draft).config };
    return [own, ...presets].flatMap(({ config, ...base }) => (config && config.kind === "reinforcement" ? [{ ...base, config }] : []));
  }, [catalog, draft]);
}

export function RaceSetup({ catalog }: { readonly catalog: Catalog }) {
  const bases = useBases(catalog);
  const ready = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const [baseId, setBaseId] = useState(DRAFT);
  const [{ key, chosen }, setVaried] = useState<Varied<readonly Setting[]>>({ key: "algorithm", chosen: null });
  const [limits, setLimits] = useState<Partial<Pick<RunConfig, "steps" | "seed">>>({});
  const base = bases.find(({ id }) => id === baseId) ?? bases[0];
  const fields = useMemo(() => variedFields(catalog, false), [catalog]);
  const field = fields.find((each) => each.key === key);
  if (!base || !field) return null;
  const config: RunConfig = { ...base.config, ...limits };
  const values = chosen ?? suggestedValues(config, field);
  const planned = plannedRacers(catalog, config, key, values);
  const isSame = new Set(values).size < values.length;
  const wrong = isSame || planned.some(({ config: resolved }) => resolved === null) || config.steps === 0;
  const chooseBase = (id: string) => {
    setBaseId(id);
    setVaried({ key, chosen: null });
    setLimits({});
  };
  const setValues = (next: readonly Setting[]) => setVaried({ key, chosen: next });
  const remaining = catalog.algorithms.find(({ id }) => !values.includes(id))?.id ?? config.algorithm;
  const add = () => setValues([...values, key === "algorithm" ? remaining : otherValue(field, values.at(-1) ?? 0)]);
  return (
    <section className="race-setup" aria-label="Set up a race">
      <Choice label="Start from" value={base.id} options={bases} onChange={chooseBase} />
      <NumberInput label="Steps" name="Steps" value={config.steps} onChange={(steps) => setLimits({ ...limits, steps })} />
      {key !== "seed" && (
        <NumberInput label="Seed, the same for all" name="Seed" value={config.seed} onChange={(seed) => setLimits({ ...limits, seed })} />
      )}
      <VariedField label="What varies" value={key} fields={fields} onChange={setVaried} />
      <ol className="race-values">
        {values.map((value, index) => (
          <li key={planned[index]?.id ?? index}>
            <SettingInput
              catalog={catalog}
              field={field}
              name={planned[index]?.id ?? ""}
              value={value}
              problem={planned[index]?.problems.map(({ message }) => message).join("; ")}
              onChange={(next) => setValues(values.with(index, next))}
            />
            {values.length > 2 && (
              <Button
                kind="quiet"
                className="button-icon"
                label={`Remove ${planned[index]?.id ?? ""}`}
                onPress={() => setValues(values.filter((_, i) => i !== index))}
              >
                <X size={14} aria-hidden="true" />
              </Button>
            )}
          </li>
        ))}
      </ol>
      {isSame && <p className="pane-note aside">Two racers are the same: give each another value.</p>}
      {config.steps === 0 && <p className="pane-note aside">A race needs a last step: steps must be at least 1.</p>}
      <div className="actions">
        <Button isDisabled={values.length >= RACER_LIMIT} onPress={add}>
          <Plus size={14} aria-hidden="true" /> Add a racer
        </Button>
        <Button kind="primary" isDisabled={wrong || !ready} onPress={() => startRace(planned)}>
          <Play size={14} fill="currentColor" aria-hidden="true" /> Start the race
        </Button>
      </div>
    </section>
  );
}
