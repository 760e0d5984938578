// What came of a first step that was tried: what its answers earn, what keeps it from teaching anything, how long the run would take,
// and a few of the answers themselves.
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import { runSeconds, type TriedAnswer, type TriedStep } from "../../../protocol/custom/tried.ts";
import type { EventBodies } from "../../../protocol/messages.ts";
import { counted, measureText } from "../../../protocol/quantities.ts";
import type { FirstFinding, FirstStep } from "../../../rl/diagnosis/firstStep.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { durationText } from "../../step/group/runReadings.ts";
import "./before.css";

type Going = EventBodies["asking"];

const DOES: Readonly<Record<NonNullable<Going["phase"]>, string>> = {
  prepare: "Preparing the model",
  sample: "Sampling the first answers",
  score: "Judging the answers",
  advantage: "Judging the answers",
  update: "Timing the rest of a step",
  evaluate: "Timing the rest of a step",
};

/** How far a try is. */
export function TryProgress({ going: { phase = "prepare", done, total } }: { readonly going: Going }) {
  return (
    <>
      <p role="status">{DOES[phase]} …</p>
      <progress className="try-progress w-full" aria-label={DOES[phase]} {...(total > 0 ? { value: done / total } : {})} />
    </>
  );
}

/** How long the run would take, in a sentence. */
export function timeText({ seconds }: TriedStep, config: RunConfig): string {
  const whole = runSeconds(config, seconds);
  const step = `${durationText(seconds.step)} a step`;
  return whole === null
    ? `It has no last step; it takes about ${step}.`
    : `${counted(config.steps, "step")} would take about ${durationText(whole)}: ${step}.`;
}

function Answer({ answer: { question, text, reward, isCut } }: { readonly answer: TriedAnswer }) {
  return (
    <li>
      <span className="fine-print wrap-anywhere">{question}</span>
      <span className="wrap-anywhere keeps-lines">
        {text === "" ? <span className="soft">(nothing)</span> : text}
        {isCut && <span className="soft"> … cut off</span>}
      </span>
      <span>{reward === null ? "not scored" : `earns ${measureText(reward)}`}</span>
    </li>
  );
}

interface FindingProps {
  readonly finding: FirstFinding;
  /** Takes up the settings of its remedy. */
  readonly onRemedy: (settings: Partial<RunConfig>) => void;
}

/** A remedy as a button says it: "Completion limit 48, and look again". */
function remedyText({ fields }: Catalog, settings: Partial<RunConfig>): string {
  const said = Object.entries(settings).map(([key, value]) => `${fields.find((field) => field.key === key)?.title ?? key} ${value}`);
  return `${said.join(", ")}, and look again`;
}

function Found({ finding: { title, evidence, tries, remedy }, onRemedy }: FindingProps) {
  const catalog = useCatalog();
  return (
    <section className="tried-finding stack">
      <h3>{title}</h3>
      <p>{evidence}</p>
      {tries.length > 0 && (
        <ul>
          {tries.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {remedy && (
        <div>
          <Button kind="primary" onPress={() => onRemedy(remedy.settings)}>
            {remedyText(catalog, remedy.settings)}
          </Button>
        </div>
      )}
    </section>
  );
}

interface TriedStepProps extends Omit<FindingProps, "finding"> {
  readonly config: RunConfig;
  readonly tried: { readonly step: TriedStep; readonly judged: FirstStep };
}

export function TriedStepView({ config, tried: { step, judged }, onRemedy }: TriedStepProps) {
  return (
    <div className="stack">
      <p role="status">
        {judged.says} {timeText(step, config)}
      </p>
      {judged.findings.map((finding) => (
        <Found key={finding.id} finding={finding} onRemedy={onRemedy} />
      ))}
      <details>
        <summary>Some of the answers</summary>
        <ul className="tried-answers grid gap-1">
          {step.examples.map((answer, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: answers have no name but their place
            <Answer key={i} answer={answer} />
          ))}
        </ul>
      </details>
    </div>
  );
}
