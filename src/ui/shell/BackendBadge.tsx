// Which backend computes and why, and on request everything that was tried.
import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { BACKEND_TITLES } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import { useRun } from "../engine/store/useRunView.ts";
import { formatNumber } from "../kit/charts/format.ts";

const BUILDS = {
  "relaxed, fused": "relaxed SIMD, which rounds a multiply-add once here",
  "relaxed, unfused": "relaxed SIMD, which rounds a multiply-add twice here",
  plain: "plain SIMD",
} as const;

/**
 * Threads, why there are no more, and the build of the WASM kernels where they compute: a run repeats to
 * the bit only on the same build.
 */
export function computedBy({ threads, kernelBuild, threadObstacle }: BackendReport): string {
  const counted = threads === 1 ? "One thread" : `× ${threads}: that many threads share the work`;
  const why = threadObstacle ? ` It is only one because ${threadObstacle}.` : "";
  return `${kernelBuild ? `${counted}, kernels with ${BUILDS[kernelBuild]}.` : `${counted}.`}${why}`;
}

/** What computes, in a word or two; the table needs no backend. */
function backendTitle(id: string): string {
  return id === "table" ? "JavaScript" : (BACKEND_TITLES[id] ?? id);
}

function sizeText(parameters: number): string {
  return `${parameters < 1000 ? parameters : formatNumber(parameters)} parameters`;
}

export function BackendBadge() {
  const backend = useRun((facts) => facts.backend);
  const model = useRun((facts) => facts.model);
  if (!backend) return null;
  const threads = backend.threads > 1 ? ` × ${backend.threads}` : "";
  return (
    <DialogTrigger>
      <Button className="badge aside flex items-center gap-1 min-w-0 rounded">
        <span className="ellipsis ink">
          {backendTitle(backend.id)}
          {threads}
        </span>
        {model && model.parameters > 0 && <span className="badge-model nowrap">{sizeText(model.parameters)}</span>}
      </Button>
      <Popover className="popover badge-popover" placement="bottom end" offset={6}>
        <Dialog className="badge-dialog stack padded" aria-label="Backend and model">
          <h2 className="large">{backend.title}</h2>
          <p>{backend.reason}</p>
          {backend.threads > 0 && <p className="soft">{computedBy(backend)}</p>}
          {backend.tried.length > 0 && (
            <>
              <h3 className="aside">Tried, in this order</h3>
              <dl className="badge-tried">
                {backend.tried.map(({ id, outcome, msPerStep }) => (
                  <div key={id}>
                    <dt>{backendTitle(id)}</dt>
                    <dd>
                      {outcome}
                      {msPerStep !== undefined && ` (${formatNumber(msPerStep)} ms per step)`}
                    </dd>
                  </div>
                ))}
              </dl>
            </>
          )}
          {model && model.parameters > 0 && (
            <>
              <h3 className="aside">Model</h3>
              <p>
                {model.description}: {sizeText(model.parameters)}, {model.vocabulary} tokens in the vocabulary.
              </p>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
