// Sets an experiment up: what it starts from, one or two fields with their values, how many seeds, and what that comes to.
import { Play, Plus } from "lucide-react";
import { useMemo } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { counted } from "../../../protocol/quantities.ts";
import { updatesPerStep } from "../../../rl/race/axis.ts";
import { costWarning } from "../../../rl/race/cost.ts";
import { newRunId } from "../../engine/actions.ts";
import { withEdit } from "../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { Button, RemoveButton } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Toggle } from "../../kit/controls/Slider.tsx";
import { NumberInput } from "../../kit/controls/TextInput.tsx";
import { Explained } from "../../kit/words/Term.tsx";
import { type DraftedExperiment, draftedOf, planOf } from "../plan/drafted.ts";
import { type ChosenField, chosenFields, type Setup, setSetup } from "../plan/setup.ts";
import { measuresOfConfigs } from "../result/judged.ts";
import { MeasureChoice } from "../result/Reading.tsx";
import { startExperiment } from "../run/actions.ts";
import { useExperiments } from "../run/experiments.ts";
import { shapeOf } from "../shapes/index.ts";
import type { Shape } from "../shapes/shape.ts";
import { BaseChoice } from "./BaseChoice.tsx";
import { VariedField } from "./SettingInput.tsx";
import { EachValue, ValueList } from "./Values.tsx";

interface SetupProps {
  readonly catalog: Catalog;
  readonly setup: Setup;
}

interface PartProps extends SetupProps {
  readonly shape: Shape;
  readonly drafted: DraftedExperiment;
}

export function ExperimentSetup({ catalog, setup }: SetupProps) {
  const screen = useDraft((facts) => facts.draft);
  const isUp = useEngine(({ status }) => status === "ready" || status === "quiet");
  const shape = shapeOf(setup.kind);
  const { screen: place, words, most } = shape;
  const drafted = useMemo(() => draftedOf(catalog, setup, screen), [catalog, setup, screen]);
  const { base, fields, over, refusals } = drafted;
  const part = { catalog, setup, shape, drafted };
  const edit = (field: RunConfigKey, value: number) => setSetup(place, { base: withEdit(catalog, setup.base ?? screen, field, value) });
  // A field of the configuration is there from every start.
  const kept = setup.over.filter(({ field }) => catalog.fields.some(({ key }) => key === field));
  const second = fields.find(({ key }) => key === (over[0]?.field === "groupSize" ? "learningRate" : "groupSize"));
  const add = () => second && setSetup(place, { over: [...chosenFields(setup), { field: second.key, values: null }] });
  const start = () => {
    // From now on the address says what races.
    if (place === "compare") setSetup(place, { base: setup.base ?? screen, over });
    void startExperiment(shape.id, (name) => planOf(drafted, name, newRunId));
  };
  const isOfSeeds = over.some(({ field }) => field === "seed");
  return (
    <section className="race-setup grid grid-cols-1" aria-label={`Set up a ${words.what}`}>
      <BaseChoice
        catalog={catalog}
        base={setup.base}
        onChange={(next) => setSetup(place, { base: next, over: kept.map(({ field }) => ({ field, values: null })) })}
      />
      {base && <NumberInput label="Steps" name="Steps" value={base.steps} onChange={(steps) => edit("steps", steps)} />}
      {base && !isOfSeeds && <Seeds setup={setup} shape={shape} first={base.seed} onFirst={(seed) => edit("seed", seed)} />}
      {over.map((_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the choice of a field keeps the focus where another is chosen
        <Varied key={i} {...part} place={i} />
      ))}
      {base && second && over.length < most.fields && (
        <div className="actions">
          <Button kind="quiet" onPress={add}>
            <Plus size={14} aria-hidden="true" /> Sweep a second field
          </Button>
        </div>
      )}
      {base && over.some(({ field }) => field === "algorithm") && (
        <Epochs setup={setup} shape={shape} base={base} onChange={(epochs) => edit("innerEpochs", epochs)} />
      )}
      {base && (
        <MeasureChoice
          screen={place}
          measures={measuresOfConfigs(catalog, [base, ...drafted.combinations.flatMap(({ config }) => config ?? [])])}
        />
      )}
      <Costs {...part} />
      <div className="actions">
        <Button kind="primary" isDisabled={refusals.length > 0 || !isUp} onPress={start}>
          <Play size={14} fill="currentColor" aria-hidden="true" /> Start the {words.what}
        </Button>
      </div>
    </section>
  );
}

function Varied({ catalog, setup, shape, drafted, place }: PartProps & { readonly place: number }) {
  const { fields, over } = drafted;
  const { field: key, values } = over[place]!;
  const field = fields.find((each) => each.key === key);
  const others = over.flatMap((each, i) => (i === place ? [] : [each.field]));
  const chosen = chosenFields(setup);
  const set = (next: ChosenField) => setSetup(shape.screen, { over: chosen.with(place, next) });
  const own = { catalog, values, onChange: (next: ChosenField["values"]) => set({ field: key, values: next }) };
  return (
    <div className="sweep-field">
      <div className="sweep-field-head grid items-center">
        <VariedField
          label={place === 0 ? shape.words.varies : "And with it"}
          value={key as RunConfigKey}
          fields={fields.filter((each) => !others.includes(each.key))}
          onChange={(next) => set({ field: next, values: null })}
        />
        {over.length > 1 && (
          <RemoveButton
            label={`Sweep ${field?.title ?? key} no more`}
            onPress={() => setSetup(shape.screen, { over: chosen.filter((_, i) => i !== place) })}
          />
        )}
      </div>
      {field && shape.values === "each" && <EachValue key={key} {...own} field={field} shape={shape} drafted={drafted} />}
      {field && shape.values === "list" && <ValueList key={key} {...own} field={field} />}
    </div>
  );
}

interface SeedsProps {
  readonly setup: Setup;
  readonly shape: Shape;
  readonly first: number;
  readonly onFirst: (seed: number) => void;
}

function Seeds({ setup: { seeds }, shape: { screen, most, words }, first, onFirst }: SeedsProps) {
  const options = Array.from({ length: most.seeds }, (_, i) => ({ id: String(i + 1), title: counted(i + 1, "seed") }));
  return (
    <>
      <Choice
        label={
          <Explained
            text={`Each ${words.combination} runs once from each seed. Runs with different seeds differ only by chance. Several seeds help you tell a better setting from a lucky run.`}
          >
            Runs of each {words.combination}
          </Explained>
        }
        value={String(seeds)}
        options={options}
        onChange={(count) => setSetup(screen, { seeds: Number(count) })}
      />
      <NumberInput
        label={seeds > 1 ? `First of ${seeds} seeds, the same for all` : "Seed, the same for all"}
        name="Seed"
        value={first}
        onChange={onFirst}
      />
    </>
  );
}

interface EpochsProps {
  readonly setup: Setup;
  readonly shape: Shape;
  readonly base: RunConfig;
  readonly onChange: (epochs: number) => void;
}

/** How often algorithms pass over a batch: each as its paper does, or all alike. */
function Epochs({ setup: { ownEpochs }, shape: { screen }, base, onChange }: EpochsProps) {
  return (
    <>
      <Toggle isSelected={ownEpochs} onChange={(own) => setSetup(screen, { ownEpochs: own })}>
        Each with its paper’s inner epochs
      </Toggle>
      {!ownEpochs && (
        <NumberInput label="Inner epochs, the same for all" name="Inner epochs" value={base.innerEpochs} onChange={onChange} />
      )}
    </>
  );
}

/** Sentences in sight that say why it cannot begin. */
const FEW = 3;

/** How much it is, why it cannot begin, what its runs pay differently, and what equal epochs hide. */
function Costs({ setup: { shown, axis }, shape: { words, values }, drafted: { base, over, combinations, runs, refusals } }: PartProps) {
  const priced = combinations.flatMap(({ id, config }) => (config ? [{ id, config }] : []));
  const there = useExperiments(({ loaded }) => loaded[shown ?? ""]?.combinations);
  const warning = costWarning(priced, axis);
  // Said beside the result already.
  const isSaid = there !== undefined && costWarning(there, axis) === warning;
  const isOnPolicy = over.some(({ field }) => field === "algorithm") && priced.every(({ config }) => updatesPerStep(config) === 1);
  // What is wrong with a value stands beside its own field.
  const told = new Set(refusals.filter((each) => values === "list" || !combinations.some(({ label }) => each.startsWith(`${label}: `))));
  return (
    <>
      <div className="stack sweep-costs" role="status">
        {refusals.length === 0 && base && (
          <p>
            {counted(combinations.length, words.combination)}, <b>{counted(runs, "run")}</b> of {counted(base.steps, "step")} each. They are
            saved as they train, and Runs lists them.
          </p>
        )}
        {[...told].slice(0, FEW).map((refusal) => (
          <p key={refusal} className="save-problem">
            {refusal.replace(/\.$/, "")}.
          </p>
        ))}
        {base?.kind === "supervised" && (
          <p>
            Choose a preset above, or correct the settings on the <a href="#/train">Train screen</a>.
          </p>
        )}
      </div>
      {warning && !isSaid && <p className="pane-note aside race-warning">{warning}</p>}
      {isOnPolicy && (
        <p className="pane-note aside">
          Each batch gets one update, so the ratio stays 1. These algorithms differ in what they do to ratios far from 1. Use more inner
          epochs to see it.
        </p>
      )}
    </>
  );
}
