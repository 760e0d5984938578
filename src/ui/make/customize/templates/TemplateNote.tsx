// What stands above the code of a template: what to look for while it learns, and, of one that is meant to be cheated, what
// the run will show and how the reward is mended.
import type { Diagnosis, Template } from "../../../../rl/templates/template.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { takeMended, templateOf } from "./openTemplate.ts";
import "./templates.css";

function Cheated({
  template,
  diagnosis,
  isMended,
}: {
  readonly template: Template;
  readonly diagnosis: Diagnosis;
  readonly isMended: boolean;
}) {
  return (
    <details className="template-diagnosis">
      <summary>What goes wrong, and how to fix it (train it first, and look for yourself)</summary>
      <p>
        <b className="strong">What the run finds.</b> {diagnosis.finding}
      </p>
      <p>
        <b className="strong">What the true answer does.</b> {diagnosis.curve}
      </p>
      <p>
        <b className="strong">The mend.</b> {diagnosis.mend}
      </p>
      {isMended ? (
        <p className="aside">The corrected reward is in the editor. Train again and compare.</p>
      ) : (
        <Button onPress={() => takeMended(template)}>Use the corrected reward</Button>
      )}
    </details>
  );
}

export function TemplateNote() {
  const { shown } = useDraftView();
  const template = templateOf(shown);
  if (!template) return null;
  const { diagnosis } = template;
  const sources = Object.values(shown.customRewards ?? {}).map(({ source }) => source);
  const isMended = diagnosis !== undefined && Object.values(diagnosis.mended).every(({ source }) => sources.includes(source));
  return (
    <aside className="template-note grid gap-1" aria-label={`About the template ${template.title}`}>
      <p>
        <b className="strong">Look for:</b> {template.lookFor} <span className="soft">{template.measured}</span>
      </p>
      {diagnosis && <Cheated template={template} diagnosis={diagnosis} isMended={isMended} />}
    </aside>
  );
}
