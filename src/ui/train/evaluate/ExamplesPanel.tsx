// Beside the charts of a supervised run: the worked examples of the newest step, each token of an answer
// tinted by how surprising it was, and the way on to reinforcement learning from what was learnt.

import { memo } from "react";
import { measureText } from "../../../protocol/quantities.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { goOnWithRewards } from "../../engine/actions.ts";
import { useEngine, useRun, useSelection } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { phaseDoes } from "../../kit/words/method.ts";
import { Term } from "../../kit/words/Term.tsx";
import { FollowToggle } from "../../step/group/GroupPanel.tsx";
import { isKnown } from "../../step/group/groupShape.ts";
import { phaseTitle } from "../../step/group/runReadings.ts";
import type { ShownExamples } from "../../step/group/shownGroup.ts";
import { scaleLimit, tintCss, tintOf } from "../../step/tokens/colourScale.ts";
import { showPiece } from "../../step/tokens/drawing.ts";
import "./evaluate.css";

function Example({ group, isLearnt, limit }: { readonly group: GroupRecord; readonly isLearnt: boolean; readonly limit: number }) {
  const [trajectory] = group.trajectories;
  if (!trajectory) return null;
  const { oldLogprobs, mask } = trajectory.channels;
  const total = (oldLogprobs ?? []).reduce((sum, value, i) => sum + (mask[i] ? value : 0), 0);
  return (
    <li className="example grid">
      <span>{group.messages.filter(({ role }) => role === "user").at(-1)?.content ?? group.exampleId}</span>
      <span className="example-answer mono col-span-full wrap-anywhere">
        {trajectory.pieces.map((piece, index) => {
          const { text, kind } = showPiece(piece);
          const isTrained = mask[index] !== 0;
          const tint = tintOf("sequential", isLearnt && isTrained ? -(oldLogprobs?.[index] ?? 0) : null, limit);
          return (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a token is its place in the answer
              key={index}
              className={`piece piece-${kind}`}
              data-untrained={!isTrained || undefined}
              style={{ backgroundColor: tintCss(tint) }}
            >
              {text}
            </span>
          );
        })}
      </span>
      <span className="example-reading aside">
        {isLearnt ? `log p ${measureText(total)}` : "not learnt from yet"}
        {!trajectory.success && <span className="attention"> · wrong on purpose</span>}
      </span>
    </li>
  );
}

/** Once the run stands, what it has learnt can be gone on from. */
function GoOn() {
  const state = useRun((facts) => facts.state);
  const step = useRun((facts) => facts.step);
  const isUp = useEngine((facts) => facts.status === "ready");
  const stands = state === "finished" || state === "paused";
  const begin = () => {
    focusTransport("train");
    goOnWithRewards();
  };
  return (
    <div className="pt-2 stack justify-items-start">
      <p className="aside">
        Reinforcement learning can now begin from what it has learnt: a new run with these weights, on the same task, with rewards instead
        of examples.
      </p>
      <Button kind={state === "finished" ? "primary" : "plain"} isDisabled={!isUp || !stands || step === 0} onPress={begin}>
        Go on with GRPO from here
      </Button>
    </div>
  );
}

/** Memoised: drawn once for each step, not again with the old one while the new one waits for its drawing. */
export const ExamplesPanel = memo(function ExamplesPanel({ shown }: { readonly shown: ShownExamples }) {
  const { step, phase, config, groups } = shown;
  const chosen = useSelection((selection) => selection.phase);
  const isLearnt = isKnown("update", phase);
  const limit = scaleLimit(groups.flatMap(({ trajectories }) => trajectories[0]?.channels.oldLogprobs?.map((value) => -value) ?? []));
  return (
    <section className="group" aria-labelledby="group-title">
      <header className="panel-head flex items-center justify-between">
        <h2 id="group-title" className="large">
          {chosen ? phaseTitle(chosen, "supervised") : "Worked examples"}{" "}
          <span className="panel-note fine-print">
            step {step}, {groups.length} of {config.demonstrationsPerStep}
          </span>
        </h2>
      </header>
      <FollowToggle step={step} promptIndex={0} />
      <p className="group-explains aside">
        {chosen ? phaseDoes(chosen, config) : `${phaseDoes("sample", config)} ${phaseDoes("update", config)}`}
      </p>
      <p className="group-legend fine-print">
        every token of an answer is trained; deeper colour: the policy thought it less likely (<Term id="logprob">log p</Term>)
      </p>
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls and holds nothing that takes the focus */}
      <ol className="rows examples rule-above" tabIndex={0} aria-label="Examples of this step">
        {groups.map((group) => (
          <Example key={group.promptIndex} group={group} isLearnt={isLearnt} limit={limit} />
        ))}
      </ol>
      <GoOn />
    </section>
  );
});
