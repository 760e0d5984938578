// What may be wrong with the run of a view: the likely causes, each with its evidence and what to try on demand. Loaded once the
// first screen stands: its sentences weigh as much as some screens.
import { useMemo } from "react";
import { type Diagnosed, diagnose } from "../../../rl/diagnosis/index.ts";
import type { RunHistory } from "../../../rl/verdict/history.ts";
import type { Verdict } from "../../../rl/verdict.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { TryRemedy } from "./Remedy.tsx";

function Why({ diagnosed: { diagnosis, tries } }: { readonly diagnosed: Diagnosed }) {
  return (
    <>
      <p>{diagnosis.explains}</p>
      <p>
        <b>What to try</b>, the likeliest help first:
      </p>
      <ul>
        {tries.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </>
  );
}

/** The likeliest cause stands open: its evidence, and what helps. */
function FirstCause({ diagnosed }: { readonly diagnosed: Diagnosed }) {
  const { diagnosis, evidence, remedy } = diagnosed;
  return (
    <div className="first-cause">
      <p>
        <b className="strong">Likely: {diagnosis.title}.</b> {evidence}
      </p>
      {remedy && <TryRemedy key={diagnosis.id} remedy={remedy} />}
      <Fold title={`Why, and what ${remedy ? "else " : ""}to try`} className="cause" panelClassName="cause-panel">
        <Why diagnosed={diagnosed} />
      </Fold>
    </div>
  );
}

function OtherCause({ diagnosed }: { readonly diagnosed: Diagnosed }) {
  const { diagnosis, evidence, remedy } = diagnosed;
  return (
    <Fold title={`Also: ${diagnosis.title}`} className="cause" panelClassName="cause-panel">
      <p>{evidence}</p>
      <Why diagnosed={diagnosed} />
      {remedy && <TryRemedy remedy={remedy} />}
    </Fold>
  );
}

export function Causes({ history, verdict }: { readonly history: RunHistory; readonly verdict: Verdict }) {
  const [first, ...others] = useMemo(() => diagnose(history, verdict), [history, verdict]);
  return (
    <>
      {first && <FirstCause diagnosed={first} />}
      {others.map((each) => (
        <OtherCause key={each.diagnosis.id} diagnosed={each} />
      ))}
    </>
  );
}
