// What is named of a log, in order: the first stands open, the others fold. A fault and what only looks like one are told apart in words.

import type { LogReading, Named } from "../../../rl/logs/judgeLog.ts";
import { hashOf } from "../../engine/route.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { LivingRun } from "./LivingRun.tsx";

interface NamedProps {
  readonly named: Named;
  readonly reading: LogReading;
}

function Why({ named: { explains, tries, lesson, kind, remedy } }: { readonly named: Named }) {
  return (
    <>
      <p>{explains}</p>
      <p>
        <b>{kind === "fault" ? "What to try" : "What to do"}</b>
        {kind === "fault" ? ", the likeliest help first:" : ":"}
      </p>
      <ul>
        {tries.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {remedy && <p className="fine-print">As a setting here: {JSON.stringify(remedy.settings)}</p>}
      {lesson && (
        <p>
          <a href={hashOf("learn", { lesson })}>The lesson that shows it</a>
        </p>
      )}
    </>
  );
}

function First({ named, reading }: NamedProps) {
  return (
    <div className="first-cause">
      <p>
        <b className="strong">
          {named.kind === "fault" ? "Likely: " : ""}
          {named.title}.
        </b>{" "}
        {named.evidence}
      </p>
      <Fold title="Why, and what to try" className="cause" panelClassName="cause-panel">
        <Why named={named} />
      </Fold>
      <LivingRun named={named} reading={reading} />
    </div>
  );
}

function Other({ named, reading }: NamedProps) {
  return (
    <Fold title={`Also: ${named.title}${named.kind === "normal" ? ", no fault" : ""}`} className="cause" panelClassName="cause-panel">
      <p>{named.evidence}</p>
      <Why named={named} />
      <LivingRun named={named} reading={reading} />
    </Fold>
  );
}

export function LogNamed({ reading }: { readonly reading: LogReading }) {
  const [first, ...others] = reading.named;
  return (
    <section className="causes flex flex-wrap" aria-labelledby="log-causes">
      <h2 id="log-causes">What it shows</h2>
      {first ? <First key={first.id} named={first} reading={reading} /> : <p>No cause is named: what the log has shows nothing wrong.</p>}
      {others.map((named) => (
        <Other key={named.id} named={named} reading={reading} />
      ))}
    </section>
  );
}
