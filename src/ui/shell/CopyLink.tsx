// The button that hands on what is on screen: it opens the ways to share a run where there is one, else it copies a
// link to the settings, the lesson or the race.
import { Check, Link } from "lucide-react";
import { engine } from "../engine/client.ts";
import { editsSettings, parseRoute, type Screen, showsRun } from "../engine/route.ts";
import { useDraft } from "../engine/store/draft/draftStore.ts";
import type { RunFacts } from "../engine/store/runFacts.ts";
import { useRun } from "../engine/store/useRunView.ts";
import { Button } from "../kit/controls/Button.tsx";
import { type CopyOutcome, openDialog, useDialog } from "../kit/dialog/dialogStore.ts";
import { copyText } from "../kit/files.ts";

const SAID: Readonly<Record<CopyOutcome, string>> = {
  copied: "Link copied",
  partial: "Link copied, without the settings changed on the way",
  refused: "The browser refused: copy the address",
};

export function CopyLink({ screen }: { readonly screen: Screen }) {
  const outcome = useDialog((facts) => facts.copied);
  const isShared = useRun(hasSteps) && showsRun(screen);
  const said = outcome !== null ? SAID[outcome] : isShared ? "Share this" : "Copy a link to this";
  const Icon = outcome === "copied" || outcome === "partial" ? Check : Link;
  return (
    <>
      <Button kind="quiet" className="button-icon" label={said} hint={said} onPress={shareOrCopy}>
        <Icon size={16} aria-hidden="true" />
      </Button>
      <span className="visually-hidden" role="status">
        {outcome === null ? "" : said}
      </span>
    </>
  );
}

/** Whether there is a run to hand on, not its settings alone. */
const hasSteps = ({ runId, step, recording }: RunFacts) => runId !== null && !recording?.traced && (step > 0 || recording !== null);

/** Offers the run where there is one on screen; else the link says all there is. */
export function shareOrCopy(): void {
  if (hasSteps(engine.view.facts.getState()) && showsRun(parseRoute(window.location.hash).screen)) openDialog("share");
  else copyLink();
}

/** How long the button says that it has copied. */
const SAID_MS = 2000;

/** The link, and whether it leaves out settings that were changed on the run's way. */
async function linkHere(): Promise<{ readonly link: string; readonly isPartial: boolean }> {
  const { catalog } = engine.facts.getState();
  const { href, hash } = window.location;
  // Of files of other programs no settings are known: the address says the place, for whoever opens the same files.
  if (!catalog || engine.view.facts.getState().recording?.traced) return { link: href, isPartial: false };
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
  useDialog.setState({ copied: outcome });
  timer = setTimeout(() => useDialog.setState({ copied: null }), SAID_MS);
}

/** Copies the link to the settings; tells whether it leaves some out. */
export async function copySettings(): Promise<boolean> {
  const here = linkHere();
  await copyText(here.then(({ link }) => link));
  return (await here).isPartial;
}

function copyLink(): void {
  copySettings().then(
    (isPartial) => say(isPartial ? "partial" : "copied"),
    () => say("refused"),
  );
}
