// One reward of somebody's own, open: its code, and the bench beside it, which scores as one types. Code that came with a
// link, a file or a run waits until its reader lets it run.

import type { RewardVerdict } from "../../../../protocol/config/customRewards.ts";
import { positionalReward, REWARD_CALL } from "../../../../rl/rewards/customReward.ts";
import { editReward } from "../../../engine/draftActions.ts";
import { isRead, markRead, noteTyped } from "../../../engine/sourcesRead.ts";
import { REST_MS, useAnswer } from "../../../engine/store/useQuestion.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { TextInput } from "../../../kit/controls/TextInput.tsx";
import { useDialog } from "../../../kit/dialog/dialogStore.ts";
import { FaultBoundary } from "../../../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../../../kit/lazyPart.tsx";
import { useDraftView } from "../../form/draftView.ts";
import type { Complaint } from "../code/editor.ts";
import { REWARD_GIVEN } from "../code/given.ts";
import { OptionsInput } from "../code/OptionsInput.tsx";
import { putTries, useCustomize } from "../customizeStore.ts";
import { AnswersBench } from "./bench/AnswersBench.tsx";
import { type BenchAnswer, benchAnswers, splitAnswers, verdictsOf } from "./bench/answers.ts";
import { RolloutsBench } from "./bench/RolloutsBench.tsx";
import { isOtherCode } from "./otherCode.ts";
import { type GivenReward, wholeReward } from "./ownRewards.ts";

const CodeEditor = lazyPart(() => import("../code/CodeEditor.tsx"), "CodeEditor");

/** The first verdict that failed, as what is wrong with the code. */
function complaintOf(verdicts: readonly RewardVerdict[] | null): Complaint | null {
  const failed = verdicts?.find((verdict) => typeof verdict === "object" && verdict !== null);
  if (!failed || typeof failed !== "object") return null;
  return { message: failed.reason, ...(failed.line === undefined ? {} : { line: failed.line }) };
}

function Given() {
  return (
    <details className="reward-given">
      <summary>What the function receives</summary>
      <dl className="figures">
        {REWARD_GIVEN.map(({ name, type, help }) => (
          <div key={name}>
            <dt>
              <code className="mono">
                {name}: {type}
              </code>
            </dt>
            <dd>{help}</dd>
          </div>
        ))}
      </dl>
      <p className="fine-print">
        It returns a number, larger for better answers, or null if it cannot judge. It can use the language and nothing else: no network, no
        clock, and no randomness except random.
      </p>
    </details>
  );
}

interface RewardEditorProps {
  readonly name: string;
  readonly reward: GivenReward;
}

/** What the reward gives to the typed answers; nothing before its code was read. */
function useVerdicts(name: string, reward: GivenReward, seed: number) {
  useDialog((facts) => facts.reads);
  const tries = useCustomize((facts) => facts.tries[name]);
  const rows = benchAnswers(reward.cases ?? [], tries);
  const isHere = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const mayRun = isRead(reward.source);
  const about = mayRun && isHere && rows.length > 0 ? JSON.stringify([reward, rows, seed]) : null;
  return { rows, mayRun, ...useAnswer(about, () => verdictsOf(wholeReward(reward), rows, seed), null, REST_MS) };
}

export function RewardEditor({ name, reward }: RewardEditorProps) {
  const view = useDraftView();
  const { title = name, source } = reward;
  const { rows, mayRun, answer: verdicts, problem } = useVerdicts(name, reward, view.config?.seed ?? 0);
  const set = (change: Partial<GivenReward>) => editReward("customRewards", name, { ...reward, ...change });
  // What is typed here is read here: it runs without a question.
  const write = (text: string) => {
    noteTyped(text);
    // Under its title it stands in the library, once it is kept there.
    const isKept = useCustomize.getState().library.things?.some((thing) => thing.kind === "reward" && thing.name === name) === true;
    set({ source: text, ...(!isKept && isOtherCode(title, text) ? { title: "A reward of your own" } : {}) });
  };
  const keep = (changed: readonly BenchAnswer[]) => {
    const { cases, tries } = splitAnswers(changed);
    putTries(name, tries);
    if (JSON.stringify(cases) !== JSON.stringify(reward.cases ?? [])) set({ cases: [...cases] });
  };
  const refused = view.problemOf(`customRewards.${name}`) ?? view.problemOf(`customRewards.${name}.source`) ?? problem;
  const wrong = refused ?? positionalReward(source);
  // One answer may well earn nothing.
  const isSilent = mayRun && !wrong && (verdicts?.length ?? 0) > 1 && verdicts!.every((verdict) => verdict === 0);
  return (
    <div className="reward-bench grid grid-cols-1 gap-3">
      <div className="reward-code">
        <TextInput label="Title" keepAs={`title/${name}`} value={title} onChange={(text) => set({ title: text.slice(0, 60) || name })} />
        <FaultBoundary part="The editor" wait="Opening the editor …">
          <CodeEditor
            label={`Code of ${title}`}
            source={source}
            given={REWARD_GIVEN}
            complaint={wrong ? { message: wrong } : complaintOf(verdicts)}
            onChange={write}
          />
        </FaultBoundary>
        <OptionsInput of={name} options={reward.options ?? {}} onChange={(options) => set({ options: { ...options } })} />
        <Given />
      </div>
      <div className="bench">
        {!mayRun && (
          <div className="config-status" role="status">
            <p>This code came with a link, a file or a run. Read it first. It runs only when you allow it.</p>
            <Button kind="primary" onPress={() => markRead([source])}>
              Run this code
            </Button>
          </div>
        )}
        <section aria-labelledby="bench-answers" className="stack">
          <h3 id="bench-answers">Try it on answers</h3>
          {isSilent && (
            <p className="config-notice" role="status">
              It gives 0 to every answer here. Is this what you want? It is called with one object: {REWARD_CALL}.
            </p>
          )}
          <AnswersBench of={name} rows={rows} verdicts={mayRun ? verdicts : null} onChange={keep} />
        </section>
        <section aria-labelledby="bench-rollouts" className="stack">
          <h3 id="bench-rollouts">On the last rollouts</h3>
          <RolloutsBench config={view.config} isRead={mayRun} />
        </section>
      </div>
    </div>
  );
}
