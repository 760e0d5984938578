// The likeliest help for a run in which something seems wrong: beside it as a branch, or in the form for the next one.
import { useState } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import { paidParts } from "../../../protocol/run/paidParts.ts";
import type { Diagnosed } from "../../../rl/diagnosis/index.ts";
import { changeDraft } from "../../engine/draftActions.ts";
import { draftOf } from "../../engine/store/draft/draftConfig.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { showForm } from "../../kit/remembered.ts";

type Remedy = NonNullable<Diagnosed["remedy"]>;

const isSetting = (value: unknown): value is Setting => ["number", "string", "boolean"].includes(typeof value);

/** A setting and its value as people read them. */
function remedyText(catalog: Catalog, config: RunConfig, key: RunConfigKey, value: unknown): string {
  const field = catalog.fields.find((each) => each.key === key);
  const title = field?.title ?? key;
  if (typeof value === "number") return `${title} ${formatNumber(value)}`;
  if (typeof value === "boolean") return `${title} ${value ? "on" : "off"}`;
  if (typeof value === "string") return `${title} “${field?.titles?.[value] ?? value.replaceAll("-", " ")}”`;
  const old = (config[key] ?? {}) as Readonly<Record<string, unknown>>;
  const changed = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>).filter(([name, each]) => old[name] !== each);
  const titleOf = (name: string) => paidParts(config, catalog)?.find((part) => part.name === name)?.title ?? name;
  return `${changed.map(([name, each]) => `the weight ${String(each)} for “${titleOf(name)}”`).join(" and ")}`;
}

/** What a remedy is in words, and what pressing it does; null without a run. */
function useRemedy({ settings }: Remedy) {
  const catalog = useEngine((facts) => facts.catalog);
  const config = useRun((facts) => facts.config);
  const [said, setSaid] = useState<string | null>(null);
  const [entry] = Object.entries(settings) as [RunConfigKey, unknown][];
  if (!catalog || !config || !entry) return null;
  const [key, value] = entry;
  const text = remedyText(catalog, config, key, value);
  // What is decided when a run starts has no branch, nor has worked training.
  const isFixed = catalog.fields.find((field) => field.key === key)?.fixed ?? false;
  const canBranch = isSetting(value) && !isFixed && config.kind === "reinforcement";
  const branch = async () => {
    const { tryRemedy } = await import("../../experiment/run/forkActions.ts");
    if (isSetting(value)) setSaid(tryRemedy(catalog, [key, value]));
  };
  const take = () => {
    showForm();
    changeDraft(() => draftOf(catalog, { ...config, ...settings, changes: [] }));
    setSaid(`The form has ${text} now. Train starts a new run with it.`);
  };
  return { text, canBranch, said, take, branch: () => void branch().catch((error: unknown) => setSaid(String(error))) };
}

/** Runs the likeliest help beside the run, or puts it into the form for the next one. */
export function TryRemedy({ remedy }: { readonly remedy: Remedy }) {
  const found = useRemedy(remedy);
  if (!found) return null;
  const { text, canBranch, said, take, branch } = found;
  return (
    <>
      <p className="remedy flex flex-wrap gap-1">
        {canBranch && <Button onPress={branch}>Try {text} beside this run</Button>}
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

/** The same as one button among others. */
export function MendIt({ remedy }: { readonly remedy: Remedy }) {
  const found = useRemedy(remedy);
  if (!found) return null;
  const { text, canBranch, said, take, branch } = found;
  return (
    <>
      <Button
        hint={
          canBranch ? `The same run from its start with ${text}. Compare shows both.` : `This run's settings with ${text}, for a new run.`
        }
        onPress={canBranch ? branch : take}
      >
        Mend it
      </Button>
      {said && (
        <p className="fine-print" role="status">
          {said}
        </p>
      )}
    </>
  );
}
