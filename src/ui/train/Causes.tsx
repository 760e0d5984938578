// What may be wrong with the run of a view: the likely causes, each with its evidence and what to try on demand. Loaded once the
// first screen stands: its sentences weigh as much as some screens.
import { useMemo, useState } from "react";
import type { Catalog } from "../../protocol/catalog.ts";
import type { RunConfigKey } from "../../protocol/config.ts";
import type { Setting } from "../../protocol/run/experimentPlan.ts";
import { type Diagnosed, diagnose } from "../../rl/diagnosis/index.ts";
import type { RunHistory } from "../../rl/verdict/history.ts";
import type { Verdict } from "../../rl/verdict.ts";
import { changeDraft } from "../engine/draftActions.ts";
import { draftOf } from "../engine/store/draft/draftConfig.ts";
import { useEngine, useRun } from "../engine/store/useRunView.ts";
import { formatNumber } from "../kit/charts/format.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Fold } from "../kit/controls/Fold.tsx";
import { showForm } from "../kit/remembered.ts";

type Remedy = NonNullable<Diagnosed["remedy"]>;

const isSetting = (value: unknown): value is Setting => ["number", "string", "boolean"].includes(typeof value);

/** A setting and its value as people read them. */
function remedyText(catalog: Catalog, key: RunConfigKey, value: unknown, before: unknown): string {
  const field = catalog.fields.find((each) => each.key === key);
  const title = field?.title ?? key;
  if (typeof value === "number") return `${title} ${formatNumber(value)}`;
  if (typeof value === "boolean") return `${title} ${value ? "on" : "off"}`;
  if (typeof value === "string") return `${title} “${field?.titles?.[value] ?? value.replaceAll("-", " ")}”`;
  const old = (before ?? {}) as Readonly<Record<string, unknown>>;
  const changed = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>).filter(([name, each]) => old[name] !== each);
  return `the weight of ${changed.map(([name, each]) => `“${name}” ${String(each)}`).join(", ")}`;
}

/** Runs the likeliest help beside the run, or puts it into the form for the next one. */
function TryRemedy({ remedy: { settings } }: { readonly remedy: Remedy }) {
  const catalog = useEngine((facts) => facts.catalog);
  const config = useRun((facts) => facts.config);
  const [said, setSaid] = useState<string | null>(null);
  const [entry] = Object.entries(settings) as [RunConfigKey, unknown][];
  if (!catalog || !config || !entry) return null;
  const [key, value] = entry;
  const text = remedyText(catalog, key, value, config[key]);
  // What is decided when a run starts has no branch, nor has worked training.
  const isFixed = catalog.fields.find((field) => field.key === key)?.fixed ?? false;
  const canBranch = isSetting(value) && !isFixed && config.kind === "reinforcement";
  const branch = async () => {
    const { tryRemedy } = await import("../experiment/run/forkActions.ts");
    if (isSetting(value)) setSaid(tryRemedy(catalog, [key, value]));
  };
  const take = () => {
    showForm();
    changeDraft(() => draftOf(catalog, { ...config, ...settings, changes: [] }));
    setSaid(`The form has ${text} now. Train starts a new run with it.`);
  };
  return (
    <>
      <p className="remedy">
        {canBranch && (
          <Button onPress={() => void branch().catch((error: unknown) => setSaid(String(error)))}>Try {text} beside this run</Button>
        )}
        <Button onPress={take}>{canBranch ? "Put it into the form" : `Put ${text} into the form`}</Button>
      </p>
      <p className="fine-print" role="status">
        {said ??
          (canBranch
            ? "Beside this run: a branch from its start, with the same seed and this one change; the Compare screen shows both."
            : "The form then has this run's settings with this one change.")}
      </p>
    </>
  );
}

function Why({ diagnosed: { diagnosis, tries } }: { readonly diagnosed: Diagnosed }) {
  return (
    <>
      <p>{diagnosis.explains}</p>
      <p>
        <b>What to try</b>, the likeliest help first:
      </p>
      <ul>
        {tries.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </>
  );
}

/** The likeliest cause stands open: its evidence, and what helps. */
function FirstCause({ diagnosed }: { readonly diagnosed: Diagnosed }) {
  const { diagnosis, evidence, remedy } = diagnosed;
  return (
    <div className="first-cause">
      <p>
        <b className="strong">Likely: {diagnosis.title}.</b> {evidence}
      </p>
      {remedy && <TryRemedy key={diagnosis.id} remedy={remedy} />}
      <Fold title={`Why, and what ${remedy ? "else " : ""}to try`} className="cause" panelClassName="cause-panel">
        <Why diagnosed={diagnosed} />
      </Fold>
    </div>
  );
}

function OtherCause({ diagnosed }: { readonly diagnosed: Diagnosed }) {
  const { diagnosis, evidence, remedy } = diagnosed;
  return (
    <Fold title={`Also: ${diagnosis.title}`} className="cause" panelClassName="cause-panel">
      <p>{evidence}</p>
      <Why diagnosed={diagnosed} />
      {remedy && <TryRemedy remedy={remedy} />}
    </Fold>
  );
}

export function Causes({ history, verdict }: { readonly history: RunHistory; readonly verdict: Verdict }) {
  const [first, ...others] = useMemo(() => diagnose(history, verdict), [history, verdict]);
  return (
    <>
      {first && <FirstCause diagnosed={first} />}
      {others.map((each) => (
        <OtherCause key={each.diagnosis.id} diagnosed={each} />
      ))}
    </>
  );
}
