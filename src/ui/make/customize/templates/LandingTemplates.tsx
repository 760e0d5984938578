// The templates on the landing page: one press opens the code of one.
import { templates } from "../../../../rl/templates/index.ts";
import { SMOLLM2 } from "../../../../rl/templates/template.ts";
import { hashOf } from "../../../engine/route.ts";
import { useEngine } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { openTemplate } from "./openTemplate.ts";
import "./templates.css";

const atOnce = templates.filter(({ config }) => config.checkpoint !== SMOLLM2);

export function LandingTemplates() {
  const catalog = useEngine((facts) => facts.catalog);
  if (!catalog) return null;
  return (
    <section className="landing-templates" aria-labelledby="landing-templates">
      <h3 id="landing-templates">Or teach it something of yours</h3>
      <p className="soft">
        A reward is a few lines of code that say what an answer is worth. Start from one that works, change it, and train.
      </p>
      <div className="actions">
        {atOnce.map((template) => (
          <Button key={template.id} onPress={() => openTemplate(catalog, template)} hint={template.summary}>
            {template.title}
          </Button>
        ))}
        <a href={hashOf("customize", { section: "templates" })}>All templates</a>
      </div>
    </section>
  );
}
