// The button that copies a link to what is on screen: the settings, with the step, prompt, completion and token, or
// the race.
import { Check, Link } from "lucide-react";
import { create } from "zustand";
import { engine } from "../client.ts";
import { Button } from "../controls/Button.tsx";
import { editsSettings, parseRoute } from "../route.ts";
import { useDraft } from "../store/draft/draftStore.ts";

const SAID: Readonly<Record<CopyOutcome, string>> = {
  copied: "Link copied",
  partial: "Link copied, without the settings changed on the way",
  refused: "The browser refused: copy the address",
};

export function CopyLink() {
  const outcome = useCopied((facts) => facts.outcome);
  const said = outcome === null ? "Copy a link to this" : SAID[outcome];
  const Icon = outcome === "copied" || outcome === "partial" ? Check : Link;
  return (
    <>
      <Button kind="quiet" className="button-icon" label={said} hint={said} onPress={copyLink}>
        <Icon size={16} aria-hidden="true" />
      </Button>
      <span className="visually-hidden" role="status">
        {outcome === null ? "" : said}
      </span>
    </>
  );
}

/** What came of the last copying; null once that has been said for a while. */
export type CopyOutcome = "copied" | "partial" | "refused";

export const useCopied = create<{ readonly outcome: CopyOutcome | null }>()(() => ({ outcome: null }));

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
  return { link: link.href, isPartial: !editsSettings(parseRoute(hash).screen) && (config?.changes.length ?? 0) > 0 };
}

let timer: ReturnType<typeof setTimeout> | undefined;

function say(outcome: CopyOutcome): void {
  clearTimeout(timer);
  useCopied.setState({ outcome });
  timer = setTimeout(() => useCopied.setState({ outcome: null }), SAID_MS);
}

export function copyLink(): void {
  linkHere()
    .then(({ link, isPartial }) => navigator.clipboard.writeText(link).then(() => say(isPartial ? "partial" : "copied")))
    .catch(() => say("refused"));
}
