// What a run of the draft would take of the memory, beside the form and before it is started: one figure,
// its parts on hover and focus, and a sentence where it does not fit or would decide nothing. The engine
// estimates; it is asked again once the draft has rested.
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import type { RunConfig } from "../../../protocol/config.ts";
import { bytesText, type MemoryEstimate } from "../../../protocol/memory.ts";
import { engine } from "../../engine/client.ts";
import { REST_MS, useAnswer } from "../../engine/store/useQuestion.ts";
import { useEngine } from "../../engine/store/useRunView.ts";

/** The engine's estimate for a configuration; the one before until the new one is there, null without any. */
function useEstimate(config: RunConfig | null): MemoryEstimate | null {
  const isUp = useEngine((facts) => facts.status === "ready");
  const { answer, problem } = useAnswer(
    config && isUp ? "memory" : null,
    () => engine.request({ type: "estimate", config: config! }),
    config,
    REST_MS,
  );
  // Where the engine cannot say it, what is wrong stands beside the field.
  return config && problem === null ? answer : null;
}

function Parts({ estimate }: { readonly estimate: MemoryEstimate }) {
  const rows = estimate.parts.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes);
  return (
    <>
      <span className="memory-whose block">At its peak, on {estimate.backend}</span>
      {rows.map(({ title, bytes }) => (
        <span key={title} className="memory-part flex justify-between gap-2">
          <span>{title}</span>
          <span>{bytesText(bytes)}</span>
        </span>
      ))}
    </>
  );
}

/** That so few problems are held out that they decide nothing, where it is so. */
export function FewHeldOut({ config }: { readonly config: RunConfig }) {
  const notice = useEstimate(config)?.notice;
  return notice ? <p className="config-notice">{notice}.</p> : null;
}

export function MemoryNote({ config }: { readonly config: RunConfig | null }) {
  const estimate = useEstimate(config);
  if (!estimate) return <p className="memory-note aside" />;
  return (
    <>
      <p className="memory-note aside">
        <TooltipTrigger delay={400}>
          <Focusable>
            <span className="hint" role="note">
              Takes about <span className="memory-figure">{bytesText(estimate.bytes)}</span> of memory
            </span>
          </Focusable>
          <Tooltip className="tooltip" placement="top start" offset={6}>
            <Parts estimate={estimate} />
          </Tooltip>
        </TooltipTrigger>
      </p>
      {estimate.problem && (
        <p className="config-status" role="status">
          {estimate.problem}
        </p>
      )}
      {estimate.notice && <p className="config-notice">{estimate.notice}.</p>}
    </>
  );
}
