// Copies a link to what is on screen: the settings, with the step, prompt, completion and token, or the race.
import { Check, Link } from "lucide-react";
import { useEffect, useState } from "react";
import { engine } from "../client.ts";
import { Button } from "../controls/Button.tsx";
import { useDraft } from "../store/draftStore.ts";

/** How long the button says that it has copied. */
const SAID_MS = 2000;

/** The link, and whether it leaves out settings that were changed on the run's way. */
async function linkHere(): Promise<{ readonly link: string; readonly isPartial: boolean }> {
  const { catalog } = engine.facts.getState();
  const { href, hash } = window.location;
  if (!catalog) return { link: href, isPartial: false };
  const { linkHash } = await import("./link.ts");
  const { config } = engine.view.facts.getState();
  const { draft } = useDraft.getState();
  const selection = engine.view.selection.getState();
  const link = new URL(linkHash({ hash, catalog, draft, config, selection }), href);
  return { link: link.href, isPartial: !hash.startsWith("#/train") && (config?.changes.length ?? 0) > 0 };
}

type Outcome = "copied" | "partial" | "refused";

const SAID: Readonly<Record<Outcome, string>> = {
  copied: "Link copied",
  partial: "Link copied, without the settings changed on the way",
  refused: "The browser refused: copy the address",
};

export function CopyLink() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    linkHere()
      .then(({ link, isPartial }) => navigator.clipboard.writeText(link).then(() => setOutcome(isPartial ? "partial" : "copied")))
      .catch(() => setOutcome("refused"));
  };
  const said = outcome === null ? "Copy a link to this" : SAID[outcome];
  const Icon = outcome === "copied" || outcome === "partial" ? Check : Link;
  return (
    <>
      <Button kind="quiet" className="button-icon" label={said} hint={said} onPress={copy}>
        <Icon size={16} aria-hidden="true" />
      </Button>
      <span className="visually-hidden" role="status">
        {outcome === null ? "" : said}
      </span>
    </>
  );
}
