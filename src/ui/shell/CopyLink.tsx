// The button that copies a link to what is on screen.
import { Check, Link } from "lucide-react";
import { Button } from "../controls/Button.tsx";
import { type CopyOutcome, copyLink, useCopied } from "./copying.ts";

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
