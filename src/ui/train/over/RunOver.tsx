// The end of a run: what it says now that it did not say before, and where to go from here.
import { useMemo, useState } from "react";
import { measureText, settingNumber, sharesBeside } from "../../../protocol/quantities.ts";
import { diagnose } from "../../../rl/diagnosis/index.ts";
import { hashOf } from "../../engine/route.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { tellingPlace } from "../../step/explain/story/telling.ts";
import { useProbed } from "../../step/overTime/useProbed.ts";
import { MendIt } from "../verdict/Remedy.tsx";
import { useJudgedRun } from "../verdict/RunVerdict.tsx";
import { breakingSetting, type Changed, changedAnswers, type SaidThen } from "./changed.ts";
import "./over.css";

function Said({ said: { text, reward }, when }: { readonly said: SaidThen; readonly when: string }) {
  return (
    <div className="over-said grid items-baseline gap-1">
      <dt className="fine-print">{when}</dt>
      <dd>
        <span className="mono">{text || "nothing"}</span>
        {reward !== null && <span className="fine-print"> earned {measureText(reward)}</span>}
      </dd>
    </div>
  );
}

/** An answer that stayed the likeliest: what has changed is how likely it is. */
function Stayed({ before, after }: { readonly before: SaidThen; readonly after: SaidThen }) {
  return (
    <>
      <Said said={after} when="as before" />
      <div className="over-said over-likely grid items-baseline gap-1">
        <dt className="fine-print">how likely</dt>
        <dd>{sharesBeside([before.probability, after.probability]).join(" → ")}</dd>
      </div>
    </>
  );
}

function Answers({ changed: { from, to, answers } }: { readonly changed: Changed }) {
  return (
    <ol className="over-answers grid" aria-label="Held-out prompts, before and after">
      {answers.map(({ question, expected, before, after }) => (
        <li key={question}>
          <p className="wrap-anywhere semibold">
            {question} {expected && <span className="fine-print">expected {expected}</span>}
          </p>
          <dl>
            {before.text === after.text ? (
              <Stayed before={before} after={after} />
            ) : (
              <>
                <Said said={before} when={from === 0 ? "before" : `step ${from}`} />
                <Said said={after} when={`step ${to}`} />
              </>
            )}
          </dl>
        </li>
      ))}
    </ol>
  );
}

/** The address of the token that the newest step moved most; null where that step is not here. */
function useMovedMost(): string | null {
  const { groups } = useRunView();
  const version = useVersion(groups);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the groups
  return useMemo(() => {
    const step = groups.latestStep === null ? null : groups.at(groups.latestStep);
    if (!step || step.groups.length === 0 || step.config.kind === "supervised") return null;
    return hashOf("explain", { step: step.step, ...tellingPlace(step), explained: "after" });
  }, [groups, version]);
}

function MakeItFail() {
  const catalog = useEngine((facts) => facts.catalog);
  const config = useRun((facts) => facts.config);
  const [problem, setProblem] = useState<string | null>(null);
  if (!catalog || !config) return null;
  const breaking = breakingSetting(catalog, config);
  const begin = async () => {
    const { tryRemedy } = await import("../../experiment/run/forkActions.ts");
    setProblem(tryRemedy(catalog, breaking));
  };
  return (
    <>
      <Button
        hint={`The same run from its start, with a learning rate of ${settingNumber(breaking[1])} in place of ${settingNumber(config.learningRate)}. Compare shows both.`}
        onPress={() => void begin().catch((error: unknown) => setProblem(String(error)))}
      >
        Make it fail
      </Button>
      {problem && (
        <p className="fine-print" role="status">
          {problem}
        </p>
      )}
    </>
  );
}

/** One press that changes how the run goes: what would make a sound one fail, and what may help one in which something seems wrong. */
function Otherwise() {
  const judged = useJudgedRun();
  const found = useMemo(() => judged && diagnose(judged.history, judged.result.verdict), [judged]);
  if (!judged || !found) return null;
  const remedy = found.find((each) => each.remedy)?.remedy;
  if (remedy) return <MendIt remedy={remedy} />;
  const isSound = found.length === 0 && !["falling", "unstable"].includes(judged.result.verdict);
  return isSound ? <MakeItFail /> : null;
}

export function RunOver() {
  const { probed } = useProbed();
  const isRecording = useRun((facts) => facts.recording !== null);
  const changed = useMemo(() => probed && changedAnswers(probed), [probed]);
  const moved = useMovedMost();
  return (
    <section className="over grid gap-2" aria-labelledby="over-title">
      <h2 id="over-title" className="large">
        What changed
      </h2>
      {changed && <Answers changed={changed} />}
      <p className="actions over-next">
        {moved && (
          <a className="button" href={moved}>
            Why did this token move?
          </a>
        )}
        {!isRecording && <Otherwise />}
        <a className="button" href={hashOf("customize", { section: "reward" })}>
          Your own reward
        </a>
        <Button onPress={() => openDialog("share")}>Share</Button>
      </p>
    </section>
  );
}
