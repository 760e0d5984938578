// A completion as its tokens, in mono, with white space and marks made visible.
import type { TrajectoryRecord } from "../../protocol/records.ts";
import { showPiece } from "../tokens/glyphs.ts";

/** Tokens beyond this are left to the Rollouts screen. */
const MOST = 40;

export function Pieces({ trajectory }: { readonly trajectory: TrajectoryRecord }) {
  const { pieces, channels } = trajectory;
  return (
    <span className="pieces mono">
      {pieces.slice(0, MOST).map((piece, index) => {
        const { text, kind } = showPiece(piece);
        const untrained = channels.mask[index] === 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a token is its place in the completion
          <span key={index} className={`piece piece-${kind}`} data-untrained={untrained || undefined}>
            {text}
          </span>
        );
      })}
      {pieces.length > MOST && <span className="piece piece-glyph">… {pieces.length - MOST} more</span>}
    </span>
  );
}
