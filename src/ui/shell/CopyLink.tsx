// Copies the address, which holds what is on screen: the form's settings, the step with prompt, completion
// and token, or the race.
import { Check, Link } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../controls/Button.tsx";

/** How long the button says that it has copied. */
const SAID_MS = 2000;

export function CopyLink() {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    navigator.clipboard.writeText(window.location.href).then(
      () => setOutcome("copied"),
      () => setOutcome("refused"),
    );
  };
  const said =
    outcome === "copied" ? "Link copied" : outcome === "refused" ? "The browser refused: copy the address" : "Copy a link to this";
  const Icon = outcome === "copied" ? Check : Link;
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
