// The rollouts of a step under other settings, as a fold that works nothing out before it is opened.
import { useState } from "react";
import { areWhole } from "../../../protocol/records.ts";
import { engine } from "../../engine/client.ts";
import { useRunView } from "../../engine/store/useRunView.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { type OtherwiseProps, useCompleteStep, waitText } from "../askedStep.ts";
import { type OtherwiseId, type OtherwiseKind, otherwiseKind } from "./kinds.ts";
import "./otherwise.css";

interface OtherwiseFoldProps extends OtherwiseProps {
  readonly kind: OtherwiseId;
  /** A section of a screen has a heading; without one it is a detail of what it stands in. */
  readonly level?: 2;
  /** Whether it is open, where the screen remembers that. */
  readonly open?: boolean;
  readonly onOpen?: (open: boolean) => void;
}

export function Otherwise({ kind, level, open, onOpen, step, ...place }: OtherwiseFoldProps) {
  const kindOf: OtherwiseKind = otherwiseKind(kind);
  const { title, needsWhole, needsOwnEngine, isFor, keepsState, Part } = kindOf;
  const [isOpenHere, setOpenHere] = useState(false);
  const isOpen = open ?? isOpenHere;
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  const { shown, problem } = useCompleteStep(step, isOpen && needsWhole === true);
  const of = needsWhole ? shown : step;
  const isOwn = useRunView() === engine.view;
  if ((needsOwnEngine && !isOwn) || isFor?.(step) === false) return null;
  const isLacking = !areWhole(step.groups);
  return (
    <Fold
      title={title}
      {...(level ? { level, className: "otherwise-fold" } : {})}
      isExpanded={isOpen}
      onExpandedChange={onOpen ?? setOpenHere}
    >
      {isOpen && isLacking && (
        <p className="note">This needs every answer of the step, and the link holds only some. The file of the run holds them all.</p>
      )}
      {(isOpen || (keepsState && wasOpen)) && of && !isLacking && (
        <FaultBoundary part={title} wait="Opening …">
          {of.step !== step.step && <p className="note">Step {of.step}; the run has gone on since.</p>}
          <Part step={of} {...place} />
        </FaultBoundary>
      )}
      {isOpen && !of && (
        <p className="note" role="status">
          {problem ?? waitText(step)}
        </p>
      )}
    </Fold>
  );
}
