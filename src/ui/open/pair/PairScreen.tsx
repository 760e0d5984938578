// Two runs whose files were opened together, on the prompts that both were asked: what changed in all, prompt by prompt, and answer by answer.
import { hashOf } from "../../engine/route.ts";
import { useTraced } from "../../engine/store/useRunView.ts";
import { Problem } from "../../kit/controls/States.tsx";
import { SPLIT_TEXTS } from "../RunsFound.tsx";
import { PairAnswers } from "./PairAnswers.tsx";
import { PairPrompts } from "./PairPrompts.tsx";
import { PairSides } from "./PairSides.tsx";
import { PairTotals } from "./PairTotals.tsx";
import { type PairPlace, pairQueryOf, replacePair } from "./pairAddress.ts";
import { usePair } from "./usePair.ts";
import "../../step/table/table.css";
import "./pair.css";

export function PairScreen({ place }: { readonly place: PairPlace }) {
  const { answer, problem, isAsking } = usePair(pairQueryOf(place));
  const runs = useTraced()?.runs;
  const go = (change: Partial<PairPlace>) => replacePair({ ...place, page: null, ...change });
  const shown = answer && { answer, place, onGo: go };
  return (
    <div className="pair stack">
      <header>
        <h1>Two runs on the same prompts</h1>
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
