// Which fields a sweep can go over, and why not over the others: where runs could not be compared, or would all be the same run.
import type { TaskEntry } from "../../protocol/catalog.ts";
import { asideKeys, inertFields } from "../../protocol/config/configFacts.ts";
import type { Field } from "../../protocol/config/fields.ts";
import type { RunConfig, RunConfigKey } from "../../protocol/config.ts";
import { showValue, unknownField } from "../../protocol/problems.ts";
import { EXPERIMENT_LIMITS, type VariedField } from "../../protocol/run/experimentPlan.ts";

/** What makes another thing to learn of a run, so that there is nothing to compare. */
const OTHER_RUNS: Readonly<Record<string, string>> = {
  task: "runs are compared on one task",
  kind: "a reward and a loss are not compared",
  version: "it says how a configuration is written",
  backend: "it says what computes a run and does not change its result",
};

/** Why a field cannot be swept, whatever its values; null where it can. */
function fieldRefusal(field: string): string | null {
  const [key = ""] = field.split(".");
  const why = OTHER_RUNS[key] ?? (asideKeys.has(key) ? "it says how a run is computed or saved and does not change its result" : null);
  return why && `${field} cannot be swept: ${why}`;
}

/** Fields that a form offers to sweep. */
export function sweepableFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ key, kind }) => fieldRefusal(key) === null && kind !== "text");
}

interface Known {
  /** Names of the configuration's fields. */
  readonly keys: readonly string[];
  readonly tasks: readonly TaskEntry[];
}

/**
 * Why these fields cannot be swept from these settings, a sentence each. What a value breaks by itself is said by whoever resolves it.
 * @param base null where it has a problem of its own
 */
export function sweepRefusals(over: readonly VariedField[], base: RunConfig | null, { keys, tasks }: Known): readonly string[] {
  const names = over.map(({ field }) => field);
  if (over.length > EXPERIMENT_LIMITS.fields) return [`a sweep must have at most ${EXPERIMENT_LIMITS.fields} fields, got ${over.length}`];
  if (new Set(names).size < names.length) return [`the fields of a sweep must differ, got ${names.join(" and ")}`];
  return over.flatMap(({ field, values }) => {
    const [key = ""] = field.split(".");
    if (!keys.includes(key)) return [unknownField(key, keys)];
    const refusal = fieldRefusal(field);
    if (refusal) return [refusal];
    if (values.length < 2) return [`${field} must have two values or more, got ${values.length}`];
    const twice = values.find((value, i) => values.indexOf(value) < i);
    if (twice !== undefined) return [`the values of ${field} must differ, got ${showValue(twice)} twice`];
    return noEffect(base, key, over, tasks);
  });
}

/** A field that changes nothing would give the same run at every value; a second field may change that. */
function noEffect(base: RunConfig | null, key: string, over: readonly VariedField[], tasks: readonly TaskEntry[]): readonly string[] {
  if (!base || over.length > 1) return [];
  const inert = inertFields(base, tasks).find((each) => each.key === (key as RunConfigKey));
  return inert ? [`${key} cannot be swept: it has no effect here, ${inert.reason}`] : [];
}
