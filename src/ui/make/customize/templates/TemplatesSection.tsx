// Templates as cards: what each teaches, what to look for, what it took, and a button that opens its code.
import { templates } from "../../../../rl/templates/index.ts";
import { SMOLLM2, type Template } from "../../../../rl/templates/template.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { smollm2Size } from "../../models/suggested.ts";
import { Card, Cards } from "../Cards.tsx";
import { openTemplate, sectionOf, templateOf } from "./openTemplate.ts";

/** What it begins with, for somebody who has never heard of weights. */
function startOf({ config }: Template): string {
  return config.checkpoint === SMOLLM2
    ? `Needs SmolLM2-135M, a model that knows English: ${smollm2Size()}, downloaded once before it first starts.`
    : "Starts at once, with a small model that comes with the page.";
}

function TemplateCard({
  template,
  isOpen,
  onOpen,
}: {
  readonly template: Template;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { title, summary, lookFor, measured } = template;
  return (
    <Card title={title}>
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
    </Card>
  );
}

/** The section of Customize that one starts from. */
export function TemplatesSection() {
  const open = templateOf(useDraftView().shown);
  return (
    <Cards>
      {templates.map((template) => (
        <TemplateCard key={template.id} template={template} isOpen={template === open} onOpen={() => openTemplate(template)} />
      ))}
    </Cards>
  );
}
