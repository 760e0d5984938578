// What stands in the place of a part of the page that could not be loaded or drawn: what happened, what it
// means for the run, and how to get the part back. The rest of the page goes on, and so does the run, which
// lives in a worker.

import { Check, Copy, RotateCw } from "lucide-react";
import { createContext, type ReactNode, Suspense, useContext, useEffect, useId, useState } from "react";
import { ErrorBoundary, type FallbackProps } from "react-error-boundary";
import { errorText, shortened } from "../../../protocol/problems.ts";
import { Button } from "../controls/Button.tsx";
import { LoadError } from "../lazyPart.tsx";
import "./fault.css";

const MOST_TEXT = 200;

/** The run that the parts below show: another one is a new try, and one that trains on is not lost with a part of the page. */
export const NearRun = createContext<{ readonly runId: string | null; readonly trainsOn: boolean }>({ runId: null, trainsOn: false });

interface FaultBoundaryProps {
  /** What it is around, as the begin of a sentence: "The charts". */
  readonly part: string;
  /** Stands there while its code comes; nothing where left out. */
  readonly wait?: string;
  /** Without the explanation, for places that are small. */
  readonly isBrief?: boolean;
  readonly children: ReactNode;
}

/** What boundaries have said on screen. */
const told = new Set<string>();

/** In which a boundary has said what it met. */
const TELLING_MS = 1000;

/**
 * What React reports of a drawing that it had to begin again. A part that is drawn between other work and throws is
 * drawn again at once with what it showed before, and then once more with what is new, which its boundary tells. Such a
 * throw is not told a second time; one that no boundary tells is a fault nobody has seen, and goes where uncaught
 * errors go.
 */
export function reportRecovered(error: unknown): void {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  setTimeout(() => {
    if (told.has(errorText(cause))) console.warn(error);
    else reportError(error);
  }, TELLING_MS);
}

/** Draws what it is around, or says why it cannot. A new run is a new try. */
export function FaultBoundary({ part, wait, isBrief = false, children }: FaultBoundaryProps) {
  const { runId } = useContext(NearRun);
  const [place, setPlace] = useState("");
  return (
    <ErrorBoundary
      resetKeys={[runId]}
      onError={(error, { componentStack }) => {
        told.add(errorText(error));
        setPlace(componentStack ?? "");
      }}
      fallbackRender={(given) => <Fault {...given} part={part} isBrief={isBrief} place={place} />}
    >
      <Suspense fallback={wait && <p className="screen-wait">{wait}</p>}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** The whole of an error, for whoever is to find its cause. */
function reportOf(title: string, error: unknown, place: string): string {
  const said = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  const parts = [title, said, place && `In:${place}`, `Address: ${window.location.href}`, `Browser: ${navigator.userAgent}`];
  return parts.filter((each) => each !== "").join("\n\n");
}

function CopyButton({ text }: { readonly text: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // Not every browser and address allows it; the text can then be selected.
      setOutcome("refused");
    }
  };
  return (
    <>
      <Button onPress={() => void copy()}>
        {outcome === "copied" ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
        {outcome === "copied" ? "Copied" : "Copy the error"}
      </Button>
      {outcome === "refused" && (
        <textarea
          className="fault-report mono min-w-0 ink small framed sunken"
          readOnly
          aria-label="The error, to select and copy"
          rows={6}
          value={text}
        />
      )}
    </>
  );
}

interface FaultProps extends FallbackProps {
  readonly part: string;
  readonly isBrief: boolean;
  readonly place: string;
}

function Fault({ error, resetErrorBoundary, part, isBrief, place }: FaultProps) {
  const heading = useId();
  const { trainsOn } = useContext(NearRun);
  const isLoad = error instanceof LoadError;
  const retry = () => {
    if (isLoad) error.forget();
    resetErrorBoundary();
  };
  useEffect(() => {
    if (!isLoad) return;
    window.addEventListener("online", retry);
    return () => window.removeEventListener("online", retry);
  });
  const title = `${part} could not be ${isLoad ? "loaded" : "drawn"}`;
  const message = errorText(error);
  return (
    <section className="fault grid content-start justify-items-start gap-2" role="alert" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {!isBrief && (
        <p>
          {isLoad
            ? "The code did not arrive. The connection or the server may be down, or the lab was updated after you opened this page."
            : "This is a fault of the page, not of the run."}
          {trainsOn && " The run trains on."} {isLoad ? "A reload" : "If trying again does not help, a reload"} opens the page again; a run
          continues from its save.
        </p>
      )}
      <p className="fault-text mono">{shortened(message, MOST_TEXT)}</p>
      <div className="actions">
        <Button kind="primary" onPress={retry}>
          <RotateCw size={14} aria-hidden="true" />
          Try again
        </Button>
        <Button onPress={() => window.location.reload()}>Reload the page</Button>
        <CopyButton text={reportOf(title, error, place)} />
      </div>
    </section>
  );
}
