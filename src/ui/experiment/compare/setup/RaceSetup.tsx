// Sets a race up: what to start from, the one thing that varies, its two to four values, and how many seeds.
import { Play, Plus } from "lucide-react";
import { useMemo } from "react";
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { RunConfigKey } from "../../../../protocol/config.ts";
import { updatesPerStep } from "../../../../rl/race/axis.ts";
import { costWarning } from "../../../../rl/race/cost.ts";
import { type Draft, presetOf, resolveDraft, withEdit } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import { inTitles } from "../../../engine/store/inTitles.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { Button, RemoveButton } from "../../../kit/controls/Button.tsx";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { Toggle } from "../../../kit/controls/Slider.tsx";
import { NumberInput } from "../../../kit/controls/TextInput.tsx";
import { Explained } from "../../../kit/words/Term.tsx";
import { startRace } from "../raceActions.ts";
import { useRace } from "../raceStore.ts";
import { otherValue, type PlannedRacer, type RacePlan, raceOf, unrepeatable, variedFields } from "./racePlan.ts";
import { RACER_LIMIT, SEED_LIMIT, type Setting, type RaceSetup as Setup, setRace, useRaceSetup } from "./raceSetup.ts";
import { SettingInput, VariedField } from "./SettingInput.tsx";

const SCREEN = "screen";
const GIVEN = "given";

/** What a race can start from: the Train screen's form, what was given with the race, and every preset that learns from rewards. */
function useBases(catalog: Catalog, base: Draft | null) {
  return useMemo(() => {
    const presets = catalog.presets.filter(({ id }) => resolveDraft(catalog, { presetId: id, edits: {} }).config?.kind === "reinforcement");
    const edits = base ? Object.keys(base.edits).length : 0;
    const title = base ? presetOf(catalog, base.presetId).title : "";
    const given = edits > 0 ? [{ id: GIVEN, title: `${title}, ${edits === 1 ? "one setting" : `${edits} settings`} changed` }] : [];
    const listed = presets.map((preset) => ({ id: preset.id, title: preset.title, ...(preset.group ? { group: preset.group } : {}) }));
    return [{ id: SCREEN, title: "As on the Train screen" }, ...given, ...listed];
  }, [catalog, base]);
}

interface BaseChoiceProps {
  readonly catalog: Catalog;
  readonly base: Draft | null;
  readonly onChange: (base: Draft | null) => void;
}

/** What all that is compared starts from. */
export function BaseChoice({ catalog, base, onChange }: BaseChoiceProps) {
  const bases = useBases(catalog, base);
  return (
    <Choice
      label="Start from"
      value={base === null ? SCREEN : Object.keys(base.edits).length > 0 ? GIVEN : base.presetId}
      options={bases}
      onChange={(id) => onChange(id === SCREEN ? null : id === GIVEN ? base : { presetId: id, edits: {} })}
    />
  );
}

export function RaceSetup({ catalog }: { readonly catalog: Catalog }) {
  const setup = useRaceSetup();
  const screen = useDraft((facts) => facts.draft);
  const ready = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const plan = useMemo(() => raceOf(catalog, setup, screen), [catalog, setup, screen]);
  return (
    <section className="race-setup" aria-label="Set up a race">
      <BaseChoice catalog={catalog} base={setup.base} onChange={(base) => setRace({ base, values: null })} />
      {plan ? (
        <PlannedRace catalog={catalog} setup={setup} plan={plan} screen={screen} ready={ready} />
      ) : (
        <p className="pane-note aside">
          A race is between runs that learn from rewards. This is not such a configuration, or something is wrong with it: choose a preset
          above, or mend it on the <a href="#/train">Train screen</a>.
        </p>
      )}
    </section>
  );
}

interface PlannedRaceProps {
  readonly catalog: Catalog;
  readonly setup: Setup;
  readonly plan: RacePlan;
  readonly screen: Draft;
  readonly ready: boolean;
}

function PlannedRace({ catalog, setup, plan, screen, ready }: PlannedRaceProps) {
  const { base: config, key, racers } = plan;
  const edit = (field: RunConfigKey, value: number) => setRace({ base: withEdit(catalog, setup.base ?? screen, field, value) });
  const isSame = new Set(plan.values).size < plan.values.length;
  const isWrong = isSame || racers.some((racer) => racer.config === null) || config.steps === 0 || unrepeatable(config) !== null;
  const isAlgorithm = key === "algorithm";
  return (
    <>
      <NumberInput label="Steps" name="Steps" value={config.steps} onChange={(steps) => edit("steps", steps)} />
      {key !== "seed" && <Seeds setup={setup} first={config.seed} onFirst={(seed) => edit("seed", seed)} />}
      <VariedField
        label="What varies"
        value={key}
        fields={variedFields(catalog, false)}
        onChange={(vary) => setRace({ vary, values: null })}
      />
      <Values catalog={catalog} plan={plan} />
      {isAlgorithm && (
        <Toggle isSelected={setup.ownEpochs} onChange={(ownEpochs) => setRace({ ownEpochs })}>
          Each with its paper’s inner epochs
        </Toggle>
      )}
      {isAlgorithm && !setup.ownEpochs && (
        <NumberInput
          label="Inner epochs, the same for all"
          name="Inner epochs"
          value={config.innerEpochs}
          onChange={(epochs) => edit("innerEpochs", epochs)}
        />
      )}
      {unrepeatable(config) && <p className="pane-note aside">{unrepeatable(config)}</p>}
      {isSame && <p className="pane-note aside">Two racers are the same: give each another value.</p>}
      {config.steps === 0 && <p className="pane-note aside">A race needs a last step: steps must be at least 1.</p>}
      <Costs setup={setup} racers={racers} isAlgorithm={isAlgorithm} />
      <div className="actions">
        <Button kind="primary" isDisabled={isWrong || !ready} onPress={() => startRace(plan)}>
          <Play size={14} fill="currentColor" aria-hidden="true" /> Start the race
        </Button>
      </div>
    </>
  );
}

interface SeedsProps {
  readonly setup: Setup;
  readonly first: number;
  readonly onFirst: (seed: number) => void;
}

function Seeds({ setup, first, onFirst }: SeedsProps) {
  const options = Array.from({ length: SEED_LIMIT }, (_, i) => ({ id: String(i + 1), title: i === 0 ? "1 seed" : `${i + 1} seeds` }));
  return (
    <>
      <Choice
        label={
          <Explained text="Each racer runs once from each seed. Runs from other seeds differ by chance alone, so several are what tells a better setting from a lucky run.">
            Runs of each racer
          </Explained>
        }
        value={String(setup.seeds)}
        options={options}
        onChange={(seeds) => setRace({ seeds: Number(seeds) })}
      />
      <NumberInput
        label={setup.seeds > 1 ? `First of ${setup.seeds} seeds, the same for all` : "Seed, the same for all"}
        name="Seed"
        value={first}
        onChange={onFirst}
      />
    </>
  );
}

function Values({ catalog, plan: { base, key, values, racers } }: { readonly catalog: Catalog; readonly plan: RacePlan }) {
  const field = catalog.fields.find((each) => each.key === key)!;
  const setValues = (next: readonly Setting[]) => setRace({ vary: key, values: next });
  const remaining = catalog.algorithms.find(({ id }) => !values.includes(id))?.id ?? base.algorithm;
  const add = () => setValues([...values, key === "algorithm" ? remaining : otherValue(field, values.at(-1) ?? 0)]);
  return (
    <>
      <ol className="race-values">
        {values.map((value, index) => (
          <li key={racers[index]?.id ?? index}>
            <SettingInput
              catalog={catalog}
              field={field}
              name={racers[index]?.id ?? ""}
              value={value}
              problem={racers[index]?.problems.map(({ message }) => inTitles(catalog, message)).join("; ")}
              onChange={(next) => setValues(values.with(index, next))}
            />
            {values.length > 2 && (
              <RemoveButton label={`Remove ${racers[index]?.id ?? ""}`} onPress={() => setValues(values.filter((_, i) => i !== index))} />
            )}
          </li>
        ))}
      </ol>
      <div className="actions">
        <Button kind="quiet" isDisabled={values.length >= RACER_LIMIT} onPress={add}>
          <Plus size={14} aria-hidden="true" /> Add a racer
        </Button>
      </div>
    </>
  );
}

interface CostsProps {
  readonly setup: Setup;
  readonly racers: readonly PlannedRacer[];
  readonly isAlgorithm: boolean;
}

/** What racers pay differently, and what equal epochs hide. */
function Costs({ setup, racers, isAlgorithm }: CostsProps) {
  const priced = racers.flatMap(({ id, config }) => (config ? [{ id, config }] : []));
  const raced = useRace((facts) => facts.racers).flatMap(({ id, config }) => (config ? [{ id, config }] : []));
  // Said beside the race's result already.
  const isSaid = raced.length > 0 && costWarning(raced, setup.axis) === costWarning(priced, setup.axis);
  const warning = isSaid ? null : costWarning(priced, setup.axis);
  const isOnPolicy = isAlgorithm && priced.every(({ config }) => updatesPerStep(config) === 1);
  return (
    <>
      {warning && <p className="pane-note aside race-warning">{warning}</p>}
      {isOnPolicy && (
        <p className="pane-note aside">
          One update for each batch: the ratio stays 1, so what these algorithms do to ratios far from 1 has no effect. More inner epochs
          show it.
        </p>
      )}
    </>
  );
}
