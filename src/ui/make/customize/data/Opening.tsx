// How conversations open, as the model reads it: the first problem token by token, with the template's marks, and how many
// problems are trained on and held out. The engine says it, so it is what a run would see.
import { useState } from "react";
import type { TaskPreview } from "../../../../protocol/custom/tried.ts";
import { errorText } from "../../../../protocol/problems.ts";
import { counted } from "../../../../protocol/quantities.ts";
import { engine } from "../../../engine/client.ts";
import { untilRead } from "../../../engine/sourcesRead.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Problem } from "../../../kit/controls/States.tsx";
import { showPiece } from "../../../step/tokens/drawing.ts";
import { useDraftView } from "../../form/draftView.ts";

/** Tokens shown of an opening; long ones are cut. */
const MOST_SHOWN = 600;

function Pieces({ pieces }: { readonly pieces: readonly string[] }) {
  return (
    <p className="opening-tokens wrap-anywhere">
      {pieces.slice(0, MOST_SHOWN).map((piece, t) => {
        const { text, kind } = showPiece(piece);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no name but their place
          <span key={t} className={`mono opening-token token-is-${kind}`}>
            {text}
          </span>
        );
      })}
      {pieces.length > MOST_SHOWN && " …"}
    </p>
  );
}

export function Opening() {
  const { config, wrong } = useDraftView();
  const [seen, setSeen] = useState<{ readonly of: unknown; readonly preview: TaskPreview | null; readonly problem: string | null } | null>(
    null,
  );
  const look = async () => {
    if (!config) return;
    try {
      await untilRead(config);
      setSeen({ of: config, preview: await engine.request({ type: "preview", config }), problem: null });
    } catch (error) {
      setSeen({ of: config, preview: null, problem: errorText(error) });
    }
  };
  const shown = seen?.of === config ? seen : null;
  const { training = null, heldOut = null, openings = [] } = shown?.preview ?? {};
  return (
    <section className="data-opening" aria-labelledby="data-opening">
      <h3 id="data-opening">As the model reads it</h3>
      <Button
        onPress={look}
        isResting={config === null}
        {...(config ? {} : { hint: `Not yet: ${wrong[0] ?? "something in the form is wrong"}` })}
      >
        {shown ? "Look again" : "Show the first prompt's tokens"}
      </Button>
      <Problem text={shown?.problem} isOfField />
      {training !== null && heldOut !== null && (
        <p className="aside">
          {counted(training, "problem")} to train on, {heldOut} held out.
        </p>
      )}
      {openings.slice(0, 1).map(({ pieces, answer }) => (
        <div key={pieces.join("\u0000")}>
          <p className="aside">
            {counted(pieces.length, "token")}
            {answer !== "" && `; the answer is ${answer}`}
          </p>
          <Pieces pieces={pieces} />
        </div>
      ))}
    </section>
  );
}
