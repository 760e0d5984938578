// Two runs whose files were opened together, on the prompts that both were asked: what changed in all, prompt by
// prompt, and answer by answer.
import { engine } from "../../engine/client.ts";
import { hashOf } from "../../engine/route.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { useTraced } from "../../engine/store/useRunView.ts";
import { Problem } from "../../kit/controls/States.tsx";
import { SPLIT_TEXTS } from "../RunsFound.tsx";
import { PairAnswers } from "./PairAnswers.tsx";
import { PairPrompts } from "./PairPrompts.tsx";
import { PairSides } from "./PairSides.tsx";
import { PairTotals } from "./PairTotals.tsx";
import { type PairPlace, pairQueryOf, replacePair } from "./pairAddress.ts";
import "../../step/table/table.css";
import "./pair.css";

export function PairScreen({ place }: { readonly place: PairPlace }) {
  const traced = useTraced();
  const query = pairQueryOf(place);
  // Read otherwise, the files are other runs.
  const { answer, problem, isAsking } = useAnswer(JSON.stringify(query), () => engine.request({ type: "pair", query }), traced);
  const runs = traced?.runs;
  const go = (change: Partial<PairPlace>) => replacePair({ ...place, page: null, ...change });
  const shown = problem === null && answer && { answer, place, onGo: go };
  return (
    <div className="pair stack">
      <header>
        <h1 className="title">Two runs on the same prompts</h1>
        <p>
          A prompt is the same in both where its messages are equal.{" "}
          {runs && (
            <>
              Runs are {SPLIT_TEXTS[runs.by]}
              {runs.isChosen ? ", as you chose" : ""}.{" "}
            </>
          )}
          <a href={hashOf("open")}>Change that, or add a run</a>
        </p>
      </header>
      {isAsking && !answer && <p role="status">Comparing …</p>}
      <Problem text={problem} />
      {shown && (
        <>
          <PairSides {...shown} />
          <PairTotals answer={shown.answer} />
          <PairPrompts {...shown} />
          <PairAnswers {...shown} />
        </>
      )}
    </div>
  );
}
