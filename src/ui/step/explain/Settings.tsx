// The settings that a phase's numbers come from, as they were in force at the step.
import type { ReactNode } from "react";
import type { RunConfig } from "../../../protocol/config.ts";
import { usesCritic } from "../../../rl/baselines/index.ts";
import { surrogateOf } from "../../../rl/surrogates/index.ts";
import type { ExplainedPhase } from "../../engine/store/selection.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { fieldValueText } from "../../kit/words/settingText.ts";

type Key = keyof RunConfig;

/** Fields of a phase, and the symbol that a formula has for them. */
function fieldsOf(id: ExplainedPhase, config: RunConfig): readonly (readonly [Key, string?])[] {
  const { klCoef, klPlacement } = config;
  const kl: readonly (readonly [Key, string?])[] = klCoef > 0 ? [["klCoef", "beta"], ["klEstimator"]] : [];
  const clip = surrogateOf(config)
    .bounds(config)
    .map((key) => [key as Key, "clip"] as const);
  switch (id) {
    case "group":
      return [["groupSize"], ["temperature"]];
    case "reward":
      return klPlacement === "reward" ? kl : [];
    case "advantage":
      return usesCritic(config)
        ? [["advantageBaseline"], ["gaeLambda"], ["bootstrapTruncated"], ["discount"], ["whitenAdvantages"]]
        : [["advantageBaseline"], ["advantageScale"], ...(config.whitenAdvantages ? [["whitenAdvantages"] as const] : [])];
    case "ratio":
      return [["ratioLevel"], ["innerEpochs"], ["minibatches"], ...clip];
    case "loss":
      return [["surrogate"], ["aggregation"], ...clip, ...(klPlacement === "loss" ? kl : [])];
    case "gradient":
      return [["aggregation"], ...(klPlacement === "loss" ? kl : [])];
    case "after":
      return [["optimizer"], ["learningRate"], ["maxGradNorm"]];
    default:
      return [];
  }
}

export function Settings({ id, config }: { readonly id: ExplainedPhase; readonly config: RunConfig }) {
  const known = useEngine((facts) => facts.catalog?.fields);
  const fields = fieldsOf(id, config);
  if (fields.length === 0) return null;
  const value = (key: Key, symbol: string | undefined): ReactNode => {
    const text = fieldValueText(
      known?.find((field) => field.key === key),
      config[key],
    );
    return symbol ? <SymbolNumber name={symbol}>{text}</SymbolNumber> : text;
  };
  return (
    <dl className="explain-settings facts aside" aria-label="Settings of this step">
      {fields.map(([key, symbol]) => (
        <div key={key}>
          <dt>{known?.find((field) => field.key === key)?.title ?? key}</dt>
          <dd>{value(key, symbol)}</dd>
        </div>
      ))}
    </dl>
  );
}
