// The rule by which advantages of files are made of other rewards. It is the one that makes the recorded ones where there is such a one;
// else the files do not say the algorithm, and somebody chooses.
import { useMemo, useState } from "react";
import type { OtherwiseStep } from "../../../../protocol/asked.ts";
import type { StepGroups } from "../../../../protocol/messages.ts";
import { capital } from "../../../../protocol/quantities.ts";
import { advantageRules } from "../../../../rl/otherwise/advantageRules.ts";
import { withAdvantages } from "../../../../rl/otherwise/fileRewards.ts";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { checkOf } from "../recorded/recordedAnswers.ts";
import { RescoredStep } from "./RescoredStep.tsx";

const OPTIONS = advantageRules.map(({ id, title, usedBy }) => ({ id, title: capital(usedBy), summary: capital(title) }));

/** The rule that makes the recorded advantages, and what is to be said of it. */
function ruleOf({ groups }: StepGroups): { readonly id: string; readonly says: string } {
  const { check } = checkOf(groups);
  if (check && check.differ < check.answers.length)
    return { id: check.rule.id, says: `This rule makes ${check.differ === 0 ? "all" : "most"} advantages in the files.` };
  const { id } = advantageRules[0]!;
  const hasNone = groups.every(({ trajectories }) => trajectories.every(({ advantage }) => advantage === null));
  if (hasNone) return { id, says: "No file says the algorithm, and none has advantages: both are made by the rule chosen here." };
  return { id, says: "No rule known here makes the advantages in the files: only the new ones are made by the rule chosen here." };
}

interface FileAdvantagesProps {
  readonly before: StepGroups;
  readonly after: OtherwiseStep;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
}

export function FileAdvantages({ before, after, ...place }: FileAdvantagesProps) {
  const found = useMemo(() => ruleOf(before), [before]);
  const [chosen, setChosen] = useState<string | null>(null);
  const rule = advantageRules.find(({ id }) => id === (chosen ?? found.id)) ?? advantageRules[0]!;
  const [was, is] = useMemo(
    () => [
      { ...before, groups: withAdvantages(before.groups, rule, true) },
      { ...after, groups: withAdvantages(after.groups, rule, false) },
    ],
    [before, after, rule],
  );
  return (
    <>
      <div className="max-w-text grid gap-half">
        <Choice label="Advantages as made by" options={OPTIONS} value={rule.id} onChange={setChosen} />
        <p className="aside">
          {capital(rule.title)}. {rule.id === found.id ? found.says : "The recorded ones stay as they are."}
        </p>
      </div>
      <RescoredStep before={was} after={is} {...place} />
    </>
  );
}
