// Other weights and parts for the rewards of a step that is kept: what its completions would have earned and
// which way each would have been pushed. Nothing is sampled, and the run stays as it is.

import { useMemo, useState } from "react";
import { rewardRules } from "../../../../rl/rewards/library/index.ts";
import { showConfig } from "../../../engine/draftActions.ts";
import { goTo } from "../../../engine/route.ts";
import { untilRead } from "../../../engine/sourcesRead.ts";
import { inTitles } from "../../../engine/store/inTitles.ts";
import { useQuestion } from "../../../engine/store/useQuestion.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { Button, RemoveButton } from "../../../kit/controls/Button.tsx";
import { NumberInput } from "../../../kit/controls/TextInput.tsx";
import { Adder } from "../../../kit/form/Adder.tsx";
import { FieldInput } from "../../../kit/form/FieldInput.tsx";
import { repeater } from "../../again/stepRepeater.ts";
import type { OtherwiseProps } from "../../askedStep.ts";
import { OnCopy } from "../OnCopy.tsx";
import { type OtherRewards, type WeighedPart, weighedParts, withoutPart, withPart, withWeight } from "./otherRewards.ts";
import { RescoredStep } from "./RescoredStep.tsx";
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
      <legend className="rule-title rescore-part-title">
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
  // A recording's own code has never run here.
  await untilRead(engine.view.facts.getState().config ?? {});
  const before = await engine.request({ type: "inspect", step });
  return { before, rewards, after: await engine.request({ type: "otherwise", step, settings: rewards }) };
}

export function RescorePanel({ step, promptIndex, trajectoryIndex }: OtherwiseProps) {
  const { config } = step;
  const catalog = useEngine((facts) => facts.catalog);
  const own = useMemo(() => catalog?.tasks.find(({ id }) => id === config.task)?.rewards ?? [], [catalog, config.task]);
  const [rewards, setRewards] = useState<OtherRewards>({ rewardWeights: config.rewardWeights, rewardRules: config.rewardRules });
  const { answer, problem, isWaiting, ask } = useQuestion(scored);
  const parts = weighedParts(own, rewardRules, rewards);
  const left = rewardRules.filter(({ name }) => !(name in rewards.rewardRules));
  const isStale = answer !== null && answer.rewards !== rewards;
  const toForm = () => {
    if (!catalog || !answer) return;
    showConfig(catalog, answer.after.config);
    goTo("train");
  };
  return (
    <div className="rescore stack">
      <p className="rescore-lead">
        What would these completions have earned under other rewards, and which way would each have been pushed? The rollouts of step{" "}
        {step.step} are scored again without sampling, and the run stays as it is.
      </p>
      <div className="rescore-parts">
        {parts.map((part) => (
          <Part key={part.name} part={part} rewards={rewards} onChange={setRewards} />
        ))}
      </div>
      <div className="rescore-actions line">
        <Adder
          options={left.map(({ name, title, help }) => ({ id: name, title, summary: help }))}
          onAdd={(name) => setRewards(withPart(rewards, name, {}))}
        >
          Add a reward
        </Adder>
        <Button kind="primary" isResting={isWaiting} onPress={() => ask(step.step, rewards)}>
          {isWaiting ? "Scoring …" : answer ? "Score again" : "Score with these"}
        </Button>
        {answer && !isStale && <Button onPress={toForm}>Take them into the form</Button>}
      </div>
      <div aria-live="polite">
        {problem && <p className="config-status">{inTitles(catalog, problem)}</p>}
        {isStale && answer && <p className="note">The results below used the earlier rewards. “Score again” uses the ones above.</p>}
        {answer && <RescoredStep before={answer.before} after={answer.after} promptIndex={promptIndex} trajectoryIndex={trajectoryIndex} />}
      </div>
      {answer && !isStale && (
        <OnCopy key={promptIndex} step={answer.before.step} promptIndex={promptIndex} other={{ settings: answer.rewards }} />
      )}
    </div>
  );
}
