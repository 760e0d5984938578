// Other weights and parts for the rewards of a step that is kept: what its completions would have earned and
// which way each would have been pushed. Nothing is sampled, and the run stays as it is.

import { useState } from "react";
import type { RunConfig } from "../../../../protocol/config.ts";
import { rewardRules } from "../../../../rl/rewards/library/index.ts";
import { showConfig } from "../../../engine/draftActions.ts";
import { goTo, hashOf } from "../../../engine/route.ts";
import { untilRead } from "../../../engine/sourcesRead.ts";
import { inTitles } from "../../../engine/store/inTitles.ts";
import { useQuestion } from "../../../engine/store/useQuestion.ts";
import { useEngine, useTraced } from "../../../engine/store/useRunView.ts";
import { Button, RemoveButton } from "../../../kit/controls/Button.tsx";
import { NumberInput } from "../../../kit/controls/TextInput.tsx";
import { Adder } from "../../../kit/form/Adder.tsx";
import { FieldInput } from "../../../kit/form/FieldInput.tsx";
import { repeater } from "../../again/stepRepeater.ts";
import type { OtherwiseProps } from "../../askedStep.ts";
import { OnCopy } from "../OnCopy.tsx";
import { FileAdvantages } from "./FileAdvantages.tsx";
import { type OtherRewards, type WeighedPart, weighedParts, withBrought, withoutPart, withPart, withWeight } from "./otherRewards.ts";
import { RescoredStep } from "./RescoredStep.tsx";
import { type RewardSources, useRewardSources } from "./rewardSources.ts";
import "./rescore.css";

interface PartProps {
  readonly part: WeighedPart;
  readonly rewards: OtherRewards;
  readonly onChange: (rewards: OtherRewards) => void;
}

/** One part: its weight and, of the library's, its settings. */
function Part({ part: { name, title, help, weight, isAdded }, rewards, onChange }: PartProps) {
  const rule = rewardRules.find((each) => each.name === name);
  const settings = rewards.rewardRules[name] ?? {};
  const isMetric = isAdded && rule?.weight === 0;
  return (
    <fieldset className="rule">
      <legend className="semibold rescore-part-title flex items-center">
        {title}
        {isAdded && <RemoveButton label={`Remove ${title}`} onPress={() => onChange(withoutPart(rewards, name))} />}
      </legend>
      <p className="aside">{help}</p>
      {isMetric ? (
        <p className="aside">A metric: it is shown and never trained on.</p>
      ) : (
        <NumberInput
          label="Weight"
          name={`The weight of ${title}`}
          value={weight}
          onChange={(to) => onChange(withWeight(rewards, name, to))}
        />
      )}
      {isAdded &&
        rule?.fields.map((field) => (
          <FieldInput
            key={field.key}
            field={field}
            value={settings[field.key] ?? field.preset}
            onChange={(value) => onChange(withPart(rewards, name, { ...settings, [field.key]: value }))}
          />
        ))}
    </fieldset>
  );
}

/** The answer holds for the step and the rewards it was asked for. */
async function scored(step: number, rewards: OtherRewards) {
  const engine = repeater.engineOf(step);
  // Code that came with a recording, or from the form, has never run here.
  await untilRead(engine.view.facts.getState().config ?? {}, rewards);
  const before = await engine.request({ type: "inspect", step });
  return { before, rewards, after: await engine.request({ type: "otherwise", step, settings: rewards }) };
}

/** What cannot be asked of another program's files, and why. */
function Refused({ refused }: Pick<RewardSources, "refused">) {
  if (refused.size === 0) return null;
  return (
    <div className="note">
      <p>
        Not offered here. Which column is what can be said under <a href={hashOf("open")}>Open rollouts</a>.
      </p>
      <ul>
        {[...refused].map(([why, titles]) => (
          <li key={why}>
            {titles.join(", ")}: {why}.
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What the panel is for. */
function Lead({ step, isTraced }: { readonly step: number; readonly isTraced: boolean }) {
  return (
    <p className="max-w-text soft">
      What would these completions have earned under other rewards, and which way would each have been pushed? The rollouts of step {step}{" "}
      {isTraced ? (
        <>
          are scored again, beside the parts in the files. Rewards of your own and judges are those that stand in{" "}
          <a href={hashOf("customize")}>Customize</a>.
        </>
      ) : (
        "are scored again without sampling, and the run stays as it is."
      )}
    </p>
  );
}

/** What a step is scored with before anybody changes it. */
const asItIs = ({ rewardWeights, rewardRules }: RunConfig, isTraced: boolean): OtherRewards =>
  isTraced ? { rewardWeights: {}, rewardRules: {} } : { rewardWeights, rewardRules };

export function RescorePanel({ step, promptIndex, trajectoryIndex }: OtherwiseProps) {
  const catalog = useEngine((facts) => facts.catalog);
  const isTraced = useTraced() !== null;
  const { own, rules, brought, refused } = useRewardSources(step, catalog, isTraced);
  const [rewards, setRewards] = useState<OtherRewards>(() => asItIs(step.config, isTraced));
  const { answer, problem, isWaiting, ask } = useQuestion(scored);
  const parts = weighedParts(own, [...rules, ...brought], rewards);
  const left = [...rules, ...brought].filter(({ name }) => !parts.some((part) => part.isAdded && part.name === name));
  const isStale = answer !== null && answer.rewards !== rewards;
  const add = (name: string) => {
    const code = brought.find((each) => each.name === name);
    setRewards(code ? withBrought(rewards, code.adds) : withPart(rewards, name, {}));
  };
  const toForm = () => {
    if (!catalog || !answer) return;
    showConfig(catalog, answer.after.config);
    goTo("train");
  };
  const place = { promptIndex, trajectoryIndex };
  return (
    <div className="otherwise-panel stack">
      <Lead step={step.step} isTraced={isTraced} />
      <div className="otherwise-parts grid items-start">
        {parts.map((part) => (
          <Part key={part.name} part={part} rewards={rewards} onChange={setRewards} />
        ))}
      </div>
      <Refused refused={refused} />
      <div className="rescore-actions gap-y-1 gap-x-2 line">
        <Adder options={left.map(({ name, title, help }) => ({ id: name, title, summary: help }))} onAdd={add}>
          Add a reward
        </Adder>
        <Button kind="primary" isResting={isWaiting} onPress={() => ask(step.step, rewards)}>
          {isWaiting ? "Scoring …" : answer ? "Score again" : "Score with these"}
        </Button>
        {answer && !isStale && !isTraced && <Button onPress={toForm}>Take them into the form</Button>}
      </div>
      <div aria-live="polite">
        {problem && <p className="config-status">{inTitles(catalog, problem)}</p>}
        {isStale && answer && <p className="note">The results below used the earlier rewards. “Score again” uses the ones above.</p>}
        {answer && (isTraced ? <FileAdvantages {...answer} {...place} /> : <RescoredStep {...answer} {...place} />)}
      </div>
      {answer && !isStale && !isTraced && (
        <OnCopy key={promptIndex} step={answer.before.step} promptIndex={promptIndex} other={{ settings: answer.rewards }} />
      )}
    </div>
  );
}
