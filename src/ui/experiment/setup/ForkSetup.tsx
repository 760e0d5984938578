// Branches a run at a step with one setting changed. The branch is the same configuration with that change
// written into it, run again from the start: whether it is the same run up to that step is then compared.
// The run is the one on screen, or the one that an address names, which then runs beside its branch.

import { GitFork } from "lucide-react";
import { useMemo } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { asideKeys, changedFields } from "../../../protocol/config/configFacts.ts";
import type { Field } from "../../../protocol/config/fields.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { combinationLetter, type Setting } from "../../../protocol/run/experimentPlan.ts";
import { resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { inTitles } from "../../engine/store/inTitles.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { NumberInput } from "../../kit/controls/TextInput.tsx";
import { branchOf } from "../plan/drafted.ts";
import { type ChosenField, chosenFields, type Setup, setSetup } from "../plan/setup.ts";
import { otherValue, unrepeatable, variedFields } from "../plan/varied.ts";
import { measuresOfConfigs } from "../result/judged.ts";
import { MeasureChoice } from "../result/Reading.tsx";
import { hasRunOnScreen } from "../run/actions.ts";
import { useExperiments } from "../run/experiments.ts";
import { startFork } from "../run/forkActions.ts";
import { shapeOf } from "../shapes/index.ts";
import { SettingInput, VariedField } from "./SettingInput.tsx";

interface Trunk {
  readonly config: RunConfig;
  readonly isScreen: boolean;
  /** Steps it has taken. */
  readonly reached: number;
}

/** The run to branch; null where there is none that learns from rewards. */
function useTrunk(catalog: Catalog, setup: Setup): Trunk | null {
  const config = useRun((facts) => facts.config);
  const hasRun = useRun((facts) => facts.runId !== null);
  const reached = useRun((facts) => facts.step);
  const named = useMemo(() => setup.base && resolveDraft(catalog, setup.base).config, [catalog, setup.base]);
  const screen = hasRun && config?.kind === "reinforcement" ? config : null;
  const isOnScreen = screen !== null && (named === null || changedFields(named, screen).every((key) => asideKeys.has(key)));
  if (isOnScreen) return { config: screen, isScreen: true, reached };
  return named?.kind === "reinforcement" ? { config: named, isScreen: false, reached: named.steps } : null;
}

export function ForkSetup({ catalog, setup }: { readonly catalog: Catalog; readonly setup: Setup }) {
  const trunk = useTrunk(catalog, setup);
  const field = variedFields(catalog, true).find((each) => each.key === chosenFields(setup)[0]?.field);
  if (trunk && field) return <PlannedFork catalog={catalog} setup={setup} trunk={trunk} field={field} />;
  return (
    <section className="race-setup grid grid-cols-1" aria-label="Fork the run">
      <p>A fork branches the run on the Train screen at a step, with one setting changed. Start a run first.</p>
      <a className="button button-primary button-large" href="#/train">
        Go to Train and start a run
      </a>
    </section>
  );
}

interface PlannedForkProps {
  readonly catalog: Catalog;
  readonly setup: Setup;
  readonly trunk: Trunk;
  readonly field: Field;
}

function PlannedFork({ catalog, setup, trunk: { config, isScreen, reached }, field }: PlannedForkProps) {
  const { shown, forkStep } = setup;
  const { most } = shapeOf(setup.kind);
  const there = useExperiments(({ loaded }) => loaded[shown ?? ""]?.combinations.length ?? 0);
  // Redraws where another run has taken the place of this one.
  useRun((facts) => facts.runId);
  const [chosen] = chosenFields(setup);
  const key = field.key as RunConfigKey;
  const step = Math.min(forkStep ?? reached, config.steps > 0 ? config.steps - 1 : reached);
  const own = config[key] as Setting;
  const value = chosen?.values?.[0] ?? otherValue(field, own);
  const place = isScreen && hasRunOnScreen(shown) ? there : 1;
  const branch = branchOf(catalog, config, step, key, value);
  const isFull = place >= most.combinations;
  const isWrong = branch.config === null || value === own || isFull || config.steps === 0 || unrepeatable(config) !== null;
  const choose = (next: ChosenField) => setSetup("compare", { over: [next] });
  return (
    <section className="race-setup grid grid-cols-1" aria-label="Fork the run">
      <NumberInput
        label="Fork after step"
        name="Step"
        value={step}
        onChange={(to) => setSetup("compare", { forkStep: Math.max(0, Math.round(to)) })}
      />
      <VariedField
        label="What changes"
        value={key}
        fields={variedFields(catalog, true)}
        onChange={(vary) => choose({ field: vary, values: null })}
      />
      <SettingInput
        catalog={catalog}
        field={field}
        name={combinationLetter(place)}
        value={value}
        problem={branch.problems.map(({ message }) => inTitles(catalog, message)).join("; ")}
        onChange={(next) => choose({ field: key, values: [next] })}
      />
      <MeasureChoice screen="compare" measures={measuresOfConfigs(catalog, [config])} />
      <ForkNotes config={config} isScreen={isScreen} isOwn={value === own} full={isFull ? most.combinations : null} />
      <div className="actions">
        <Button kind="primary" isDisabled={isWrong} onPress={() => void startFork(catalog, config, branch, isScreen)}>
          <GitFork size={14} aria-hidden="true" /> Fork here
        </Button>
      </div>
    </section>
  );
}

interface ForkNotesProps {
  readonly config: RunConfig;
  readonly isScreen: boolean;
  readonly isOwn: boolean;
  /** How many runs there are, where there is room for no more. */
  readonly full: number | null;
}

/** What stands in the way, and what the branch will be. */
function ForkNotes({ config, isScreen, isOwn, full }: ForkNotesProps) {
  const continued = useRun((facts) => facts.continued);
  const backend = useRun((facts) => facts.backend?.id);
  const given = unrepeatable(config);
  const notes = [
    ...(given === null ? [] : [given]),
    isOwn && "The run already has this value. A branch needs a different one.",
    config.steps === 0 && "The run has no last step, so a branch of it would never end. Set its number of steps first.",
    full !== null && `There are ${full} runs already: clear them to fork again.`,
    !isScreen && "The run in this link is not on the Train screen, so it is trained here too, from its start.",
    isScreen && continued && "This run was continued from a save; its branch is trained again from the beginning.",
    config.changes.length > 0 && "Settings were changed during the run. The branch uses them, but a link cannot hold them.",
    isScreen &&
      backend !== undefined &&
      !/wasm|table/.test(backend) &&
      `On ${backend} the same seed may give slightly different numbers, so a branch may differ a little before its fork.`,
  ].filter((note) => note !== false);
  return notes.map((note) => (
    <p key={note} className="pane-note aside">
      {note}
    </p>
  ));
}
