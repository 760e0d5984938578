// Branches the run on screen at a step with one setting changed. The branch is the same configuration
// with that change written into it, run again from the start: with the same seed it is the same run up
// to that step.
import { GitFork } from "lucide-react";
import { useMemo, useState } from "react";
import type { Catalog } from "../../protocol/catalog.ts";
import { Button } from "../controls/Button.tsx";
import { NumberInput } from "../controls/TextInput.tsx";
import { useRun } from "../store/useRunView.ts";
import { startFork } from "./raceActions.ts";
import { forkedRacer, otherValue, RACER_LIMIT, type Setting, variedFields } from "./racePlan.ts";
import { runOf, useRace } from "./raceStore.ts";
import { SettingInput, type Varied, VariedField } from "./SettingInput.tsx";

interface ForkSetupProps {
  readonly catalog: Catalog;
  /** Step asked for by a link; null for the run's last. */
  readonly asked: number | null;
}

export function ForkSetup({ catalog, asked }: ForkSetupProps) {
  const config = useRun((facts) => facts.config);
  const runId = useRun((facts) => facts.runId);
  const reached = useRun((facts) => facts.step);
  const continued = useRun((facts) => facts.continued);
  const backend = useRun((facts) => facts.backend?.id);
  const racers = useRace((facts) => facts.racers);
  const [chosenStep, setStep] = useState<number | null>(null);
  const [{ key, chosen }, setVaried] = useState<Varied<Setting>>({ key: "learningRate", chosen: null });
  const fields = useMemo(() => variedFields(catalog, true), [catalog]);
  const field = fields.find((each) => each.key === key);
  if (!config || !runId || config.kind !== "reinforcement" || !field)
    return (
      <section className="race-setup" aria-label="Fork the run">
        <p>A fork branches the run on the Train screen at a step, with one setting changed. There is no such run yet.</p>
        <a className="button button-primary button-large" href="#/train">
          Go to Train and start a run
        </a>
      </section>
    );
  const step = Math.min(chosenStep ?? asked ?? reached, config.steps > 0 ? config.steps - 1 : reached);
  const own = config[key] as Setting;
  const value = chosen ?? otherValue(field, own);
  const here = racers.some((racer) => racer.isScreen && runOf(racer).runId === runId) ? racers.length : 1;
  const branch = forkedRacer(catalog, config, step, key, value, here);
  const isWrong = branch.config === null || value === own || here >= RACER_LIMIT || config.steps === 0;
  return (
    <section className="race-setup" aria-label="Fork the run">
      <NumberInput label="Fork after step" name="Step" value={step} onChange={(to) => setStep(Math.max(0, Math.round(to)))} />
      <VariedField label="What changes" value={key} fields={fields} onChange={setVaried} />
      <SettingInput
        catalog={catalog}
        field={field}
        name={branch.id}
        value={value}
        problem={branch.problems.map(({ message }) => message).join("; ")}
        onChange={(next) => setVaried({ key, chosen: next })}
      />
      {value === own && <p className="pane-note aside">That is the run's own value: a branch needs another one.</p>}
      {config.steps === 0 && (
        <p className="pane-note aside">The run has no last step, so a branch of it would never end: give it one first.</p>
      )}
      {continued && <p className="pane-note aside">This run was continued from a save; its branch is computed again from the beginning.</p>}
      {backend !== undefined && !/wasm|table/.test(backend) && (
        <p className="pane-note aside">
          On {backend} the same seed need not give the same bits, so a branch may differ a little before its fork.
        </p>
      )}
      <div className="actions">
        <Button kind="primary" isDisabled={isWrong} onPress={() => startFork(branch)}>
          <GitFork size={14} aria-hidden="true" /> Fork here
        </Button>
      </div>
    </section>
  );
}
