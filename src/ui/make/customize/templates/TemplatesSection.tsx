// Templates as cards: what each teaches, what to look for, what it took, and a button that opens its code.
import { templates } from "../../../../rl/templates/index.ts";
import { SMOLLM2, type Template } from "../../../../rl/templates/template.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { smollm2Size } from "../../models/suggested.ts";
import { openTemplate, sectionOf, templateOf } from "./openTemplate.ts";
import "./templates.css";

/** What it begins with, for somebody who has never heard of weights. */
function startOf({ config }: Template): string {
  return config.checkpoint === SMOLLM2
    ? `Needs SmolLM2-135M, a model that knows English: ${smollm2Size()}, downloaded once before it first starts.`
    : "Starts at once, with a small model that comes with the page.";
}

function Card({ template, isOpen, onOpen }: { readonly template: Template; readonly isOpen: boolean; readonly onOpen: () => void }) {
  const { id, title, summary, lookFor, measured } = template;
  return (
    <li className="template-card grid grid-cols-1 justify-items-start gap-1 framed padded" aria-labelledby={`template-${id}`}>
      <h3 id={`template-${id}`}>{title}</h3>
      <p>{summary}</p>
      <p className="soft">
        <b className="strong">Look for:</b> {lookFor}
      </p>
      <p className="aside">
        {measured} {startOf(template)}
      </p>
      <Button {...(isOpen ? {} : { kind: "primary" })} onPress={onOpen}>
        {isOpen ? `Start over with ${title}` : `Open ${title}`}
      </Button>
      <span className="fine-print">{sectionOf(template) === "reward" ? "a reward" : "an environment"}, as code you can change</span>
    </li>
  );
}

/** The section of Customize that one starts from. */
export function TemplatesSection() {
  const open = templateOf(useDraftView().shown);
  return (
    <ul className="template-cards grid gap-2">
      {templates.map((template) => (
        <Card key={template.id} template={template} isOpen={template === open} onOpen={() => openTemplate(template)} />
      ))}
    </ul>
  );
}
