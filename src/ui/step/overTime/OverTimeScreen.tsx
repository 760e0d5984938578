// The same prompt over time: what the policy says to a fixed held-out prompt after any step that was recorded,
// beside what it said after any other, and the landscape of its decisions over all of them.

import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { Probed } from "../../../protocol/asked.ts";
import { counted } from "../../../protocol/quantities.ts";
import { useDraftQuery } from "../../engine/address/addressSync.ts";
import { useHash } from "../../engine/address/hash.ts";
import { hashOf, type Place, parseRoute, placeIn, placeQuery, replaceQuery, settingsIn } from "../../engine/route.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Choice } from "../../kit/controls/Choice.tsx";
import { Slider } from "../../kit/controls/Slider.tsx";
import { OfferedRuns } from "../rollouts/LinkedRun.tsx";
import { ComparedAnswers } from "./ComparedAnswers.tsx";
import { recordAt } from "./comparison.ts";
import { LandscapeSection } from "./LandscapeSection.tsx";
import { useProbed } from "./useProbed.ts";
import "./overTime.css";

function Frame({ children }: { readonly children: ReactNode }) {
  const task = useRun((facts) => facts.config?.task);
  const isTalk = useEngine(({ catalog }) => catalog?.tasks.find(({ id }) => id === task)?.facts.severalTurns ?? false);
  return (
    <div className="over-time grid grid-cols-1 content-start gap-2">
      <header className="over-time-head grid gap-half">
        <h1>The same prompt over time</h1>
        <p>
          A few held-out prompts stay the same for the whole run. The policy answers them greedily at the start and again as the run goes
          on, so you can compare its answers.{isTalk && " In conversations you see the first turn only, which is not judged."}
        </p>
      </header>
      {children}
    </div>
  );
}

/** Why there is nothing to show, and what helps. */
function Nothing({ problem }: { readonly problem: string | null }) {
  const runId = useRun((facts) => facts.runId);
  const isPreparing = useRun((facts) => facts.state === "preparing");
  const query = useDraftQuery();
  if (isPreparing) return <p role="status">The run is being prepared. Its first answers come before its first step.</p>;
  if (runId !== null) return <p role="status">{problem ?? "Asking the engine for the recorded answers …"}</p>;
  return (
    <>
      <p>There is no run yet. A run answers these prompts from its start.</p>
      <a className="button button-primary button-large" href={hashOf("train", query)}>
        Go to Train and start a run
      </a>
      <OfferedRuns />
    </>
  );
}

interface RecordScrubberProps {
  readonly name: string;
  readonly steps: readonly number[];
  /** Place among the records. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** Moves through the recorded steps, which lie ever further apart, one record at a time. */
function RecordScrubber({ name, steps, value, onChange }: RecordScrubberProps) {
  const last = steps.length - 1;
  const go = (to: number) => onChange(Math.min(last, Math.max(0, to)));
  return (
    <div className="over-time-scrubber grid items-center">
      <Button className="over-time-key" label={`${name}: earlier`} isResting={value <= 0} onPress={() => go(value - 1)}>
        <ChevronLeft size={18} aria-hidden />
      </Button>
      <Slider
        className="over-time-slider grid items-center"
        label={name}
        text={`${name.toLowerCase()} ${steps[value]}`}
        value={value}
        minValue={0}
        maxValue={Math.max(1, last)}
        onChange={go}
        isDisabled={last === 0}
      />
      <Button className="over-time-key" label={`${name}: later`} isResting={value >= last} onPress={() => go(value + 1)}>
        <ChevronRight size={18} aria-hidden />
      </Button>
    </div>
  );
}

export function OverTimeScreen() {
  const { probed, problem } = useProbed();
  const { query } = parseRoute(useHash());
  const hasRun = useRun((facts) => facts.runId !== null);
  const move = (change: Partial<Place<"time">>) => {
    // The settings of a run that is not here stay in the address, so that a reload finds them.
    replaceQuery("time", placeQuery("time", { ...placeIn("time", query), ...change }, hasRun ? undefined : settingsIn(query)));
  };
  return (
    <Frame>
      {probed === null ? (
        <Nothing problem={problem} />
      ) : probed.records.length === 0 ? (
        <p role="status">
          Nothing is recorded yet. The first answers come when the run goes on: before its first step, or now if an older version saved this
          run.
        </p>
      ) : (
        <RecordedProbes probed={probed} place={placeIn("time", query)} onMove={move} />
      )}
    </Frame>
  );
}

interface RecordedProps {
  readonly probed: Probed;
  readonly place: Place<"time">;
  readonly onMove: (change: Partial<Place<"time">>) => void;
}

/** The last user message of a prompt. */
function questionOf({ messages, exampleId }: Probed["prompts"][number]): string {
  return messages.findLast(({ role }) => role === "user")?.content ?? exampleId;
}

export function RecordedProbes({ probed, place, onMove }: RecordedProps) {
  const { prompts, records } = probed;
  const isTable = useRun((facts) => facts.config?.model === "tabular");
  const isGoing = useRun((facts) => facts.state === "running");
  const prompt = Math.min(place.prompt, prompts.length - 1);
  const steps = useMemo(() => records.map(({ step }) => step), [records]);
  const last = records.length - 1;
  const from = place.from === null ? 0 : recordAt(records, place.from);
  const to = place.to === null ? last : recordAt(records, place.to);
  const options = useMemo(() => prompts.map((each, i) => ({ id: String(i), title: `${i + 1}: ${questionOf(each)}` })), [prompts]);
  const shown = prompts[prompt]!;
  return (
    <>
      <section className="grid gap-half" aria-label="Prompt">
        {prompts.length > 1 && (
          <Choice
            className="field-inline"
            label="Prompt"
            options={options}
            value={String(prompt)}
            onChange={(id) => onMove({ prompt: Number(id) })}
          />
        )}
        <p className="over-time-question wrap-anywhere large">{questionOf(shown)}</p>
        <p className="note">
          {shown.answer !== "" && <>Right answer: {shown.answer}. </>}
          {isTable && "A logits table reads no prompt, so it gives the same answer to all of them. "}
          {`${counted(records.length, "answer")} recorded, of steps ${steps[0]} to ${steps[last]}`}
          {isGoing ? "; more come as the run goes on." : "."}
        </p>
      </section>
      <div className="over-time-scrubbers grid">
        <RecordScrubber name="Show step" steps={steps} value={to} onChange={(i) => onMove({ to: i === last ? null : steps[i]! })} />
        <RecordScrubber
          name="Compare with step"
          steps={steps}
          value={from}
          onChange={(i) => onMove({ from: i === 0 ? null : steps[i]! })}
        />
      </div>
      <ComparedAnswers probed={probed} prompt={prompt} from={from} to={to} />
      <LandscapeSection probed={probed} prompt={prompt} shown={to} onShow={(i) => onMove({ to: i === last ? null : steps[i]! })} />
    </>
  );
}
