// Charts whose line the settings alone decide are no charts: one sentence says as much.
import type { Catalog } from "../../../protocol/catalog.ts";
import { inertFields } from "../../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import { surrogateOf } from "../../../rl/surrogates/index.ts";
import type { Series } from "./series/series.ts";

/** Why a chart's value cannot change under these settings, as the end of a sentence; null where it can. */
function reasonFor(chart: string, config: RunConfig, catalog: Catalog): string | null {
  const why = (key: string) => inertFields(config, catalog.tasks).find((each) => each.key === key)?.reason ?? null;
  const facts = catalog.tasks.find(({ id }) => id === config.task)?.facts;
  switch (chart) {
    case "learning-rate":
      return (config.schedule === "constant" || config.steps === 0) && config.warmupSteps === 0 ? "constant, without warm-up" : null;
    case "completion-length":
      return facts?.fixedLength ? "the length that the task asks for" : null;
    case "clip-fraction": {
      const [first] = Object.keys(surrogateOf(config).settings);
      return first === undefined ? null : why(first);
    }
    default:
      return null;
  }
}

/** The one value of all lines at all steps; null where there are several, or none. */
function onlyValue(series: readonly Series[]): number | null {
  const value = series[0]?.ys[0];
  if (value === undefined || !Number.isFinite(value)) return null;
  return series.every(({ ys }) => Array.prototype.every.call(ys, (y) => y === value)) ? value : null;
}

export interface Constant {
  /** Null where nothing is measured. */
  readonly value: number | null;
  readonly why: string;
}

/** Charts of what no server tells, with why. */
export const NOT_TOLD: Readonly<Record<string, string>> = {
  entropy: "not known: a server gives log-probs only for the tokens that were sampled",
  "gradient-norm": "not known: the server computes and clips the gradient",
};

/** What stands in the place of a chart that the settings hold constant, if they do and its values agree. */
export function constantOf(chart: string, series: readonly Series[], config: RunConfig, catalog: Catalog): Constant | null {
  if (chart === "kl" && config.klCoef === 0 && series.length === 0)
    return { value: null, why: "not measured: the KL weight β is 0, so there is no reference" };
  const { heldShare, title } = surrogateOf(config);
  if (chart === "clip-fraction" && !heldShare && series.length === 0)
    return { value: null, why: `not measured: the loss “${title}” clips no token` };
  const notTold = config.backend === "tinker" && series.length === 0 ? NOT_TOLD[chart] : undefined;
  if (notTold !== undefined) return { value: null, why: notTold };
  const why = reasonFor(chart, config, catalog);
  if (why === null) return null;
  const value = onlyValue(series);
  return value === null ? null : { value, why };
}
