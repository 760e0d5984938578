// The path over all sections of Customize: prompts, model, reward, Train. Each says what stands there or what is missing, and the last
// one trains.
import { useEffect } from "react";
import { isNamed } from "../../../../protocol/models/modelName.ts";
import { trainOrAsk } from "../../../engine/actions.ts";
import { useCatalog, useEngine, useRun } from "../../../engine/store/useRunView.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { FaultBoundary } from "../../../kit/faults/FaultBoundary.tsx";
import { BeforeStart } from "../../before/BeforeStart.tsx";
import { useDraftView, useFormTask } from "../../form/draftView.ts";
import { FewHeldOut } from "../../form/MemoryNote.tsx";
import { modelTitle } from "../../models/chooseModel.ts";
import { readModels, useFormModel, useModels } from "../../models/modelsStore.ts";
import { type PathStep, pathOf } from "./ownPath.ts";
import "./path.css";

interface OwnPathProps {
  /** The section that is open. */
  readonly section: string;
  /** The address of a section. */
  readonly hashOf: (section: string) => string;
}

/** The path as the form and what is kept here have it. */
export function usePath(): readonly PathStep[] {
  const task = useFormTask();
  const catalog = useCatalog();
  const { shown } = useDraftView();
  const { models, served } = useModels();
  const named = useFormModel();
  const isNamedHere = named !== null;
  useEffect(() => {
    if (isNamedHere) void readModels();
  }, [isNamedHere]);
  const { model, startFrom, checkpoint = "" } = shown;
  const title = model === "tabular" ? "a table" : startFrom === "checkpoint" ? modelTitle(checkpoint) : "random weights";
  const isAbsent = named !== null && models !== null && ![...models, ...served].some((each) => isNamed(each, named));
  return pathOf({ catalog, task, shown }, title, isAbsent);
}

export function OwnPath({ section, hashOf }: OwnPathProps) {
  const steps = usePath();
  const { wrong } = useDraftView();
  const isUp = useEngine((facts) => facts.status === "ready");
  const isBusy = useRun((facts) => facts.state === "running" || facts.state === "preparing");
  const missing = steps.find((step) => step.missing !== null);
  const why = missing?.missing ?? wrong[0];
  return (
    <section className="own-path grid grid-cols-1 gap-1" aria-label="From prompts to a run">
      <ol>
        {steps.map(({ section: id, title, has, missing: lacks }, i) => (
          <li key={id}>
            <a href={hashOf(id)} aria-current={id === section ? "step" : undefined} data-lacks={lacks !== null || undefined}>
              <b className="strong">
                {i + 1} {title}
              </b>
              <span className="aside">{lacks ?? has}</span>
            </a>
          </li>
        ))}
        <li>
          <Button
            kind="primary"
            isResting={!isUp || isBusy || why !== undefined}
            onPress={trainOrAsk}
            {...(why === undefined ? {} : { hint: why })}
          >
            4 Train
          </Button>
        </li>
      </ol>
    </section>
  );
}

/** What is known of the run before it starts. */
export function PathEnd() {
  const { config } = useDraftView();
  const isMissing = usePath().some(({ missing }) => missing !== null);
  if (!config) return null;
  return (
    <FaultBoundary part="The look before the start" isBrief>
      <FewHeldOut config={config} />
      {!isMissing && <BeforeStart config={config} />}
    </FaultBoundary>
  );
}

/** What comes after a section of the path, at its end. */
export function PathNext({ section, hashOf }: OwnPathProps) {
  const steps = usePath();
  const at = steps.findIndex(({ section: id }) => id === section);
  const next = steps[at + 1];
  if (at < 0 || !next) return null;
  return (
    <p className="path-next">
      {/* As a field is left for it, what the field changes may move it away before the press is over. */}
      <a
        className="button button-plain"
        href={hashOf(next.section)}
        onPointerDown={({ pointerType, button }) => {
          if (pointerType === "mouse" && button === 0) window.location.hash = hashOf(next.section);
        }}
      >
        Next: {at + 2} {next.title}
      </a>
    </p>
  );
}
