// One model of the picker: what it is, what a run with it would take of the memory, and what can be done with it.
import { type ReactNode, useMemo, useState } from "react";
import { bytesText, type MemoryEstimate } from "../../../protocol/memory.ts";
import { isWhole, type KeptModel, sizeOfModel } from "../../../protocol/models/keptModels.ts";
import { beginningWith, isNamed, type ListedModel } from "../../../protocol/models/modelName.ts";
import { errorText } from "../../../protocol/problems.ts";
import { trainOrAsk } from "../../engine/actions.ts";
import { engine } from "../../engine/client.ts";
import { useResolvedDraft } from "../../engine/store/draft/useDraftFacts.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { chooseModel } from "./chooseModel.ts";
import { ask, checkpointOf, keptBytes, useFormModel } from "./modelsStore.ts";
import type { SuggestedModel } from "./suggested.ts";

const fileSize = (bytes: number) => bytesText(bytes, 1000);

const BACKENDS = ["wasm", "webgpu"] as const;

/**
 * What the form's run would take with a model, on each backend. Its line is there before that is known, so that the
 * row's buttons stay where they are.
 */
function MemoryLine({ checkpoint }: { readonly checkpoint: string }) {
  const config = useResolvedDraft()?.config ?? null;
  const base = useMemo(() => config && { ...config, ...beginningWith(checkpoint, config) }, [config, checkpoint]);
  const ask = () =>
    Promise.all(BACKENDS.map((backend) => engine.request({ type: "estimate", config: { ...base, backend } }).catch(errorText)));
  const { answer: estimates } = useAnswer(base && "memory", ask, base);
  if (!estimates) return config ? <p className="fine-print">Memory of the form's run: being estimated</p> : null;
  const refusal = estimates.find((each) => typeof each === "string");
  if (typeof refusal === "string") return <p className="save-problem">With the task of the form: {refusal}</p>;
  const words = (estimates as readonly MemoryEstimate[]).map(
    ({ backend, bytes, problem }) => `${backend.split(",")[0]} ${bytesText(bytes)}${problem ? " (too much)" : ""}`,
  );
  return <p className="fine-print">Memory of the form's run: {words.join(", ")}</p>;
}

interface FactsProps {
  readonly bytes: number;
  readonly licence: string | null;
  readonly context: number | null;
  readonly parameters: number | null;
}

export function Facts({ bytes, licence, context, parameters }: FactsProps) {
  const words = [
    parameters === null ? null : `${formatNumber(parameters)} weights`,
    fileSize(bytes),
    context === null ? null : `${context.toLocaleString("en")} tokens of context`,
    licence === null ? "licence not said" : `licence ${licence}`,
  ];
  return <p className="fine-print">{words.filter((word) => word !== null).join(", ")}</p>;
}

interface RowProps {
  readonly facts: FactsProps;
  readonly model: KeptModel | ListedModel;
  /** What is told beside its facts, such as where it lies. */
  readonly remark?: string | undefined;
  /** Just looked at. */
  readonly isNew?: boolean | undefined;
  readonly children: ReactNode;
}

/** A model that a run can name, with what the form's run would take of the memory with it and what can be done. */
function ModelRow({ facts, model, remark, isNew, children }: RowProps) {
  return (
    <li className="model flex flex-wrap items-center justify-between" data-new={isNew || undefined}>
      <div>
        <strong>{model.source?.repository ?? model.name}</strong>
        <Facts {...facts} />
        <MemoryLine checkpoint={checkpointOf(model)} />
        {remark !== undefined && <p className="fine-print">{remark}</p>}
      </div>
      <div className="actions">{children}</div>
    </li>
  );
}

/** Puts a model into the form; where the form waited for it, its run begins. */
function BeginButton({ model, onChosen }: { readonly model: KeptModel | ListedModel; readonly onChosen: () => void }) {
  const named = useFormModel();
  const isAwaited = named !== null && isNamed(model, named);
  const press = () => {
    if (!isAwaited) chooseModel(checkpointOf(model));
    onChosen();
    if (isAwaited) trainOrAsk();
  };
  return (
    <Button kind="primary" onPress={press}>
      {isAwaited ? "Train with it" : "Begin with it"}
    </Button>
  );
}

/** Deletes a kept model, after a question. */
function DeleteButtons({ name, isBusy }: { readonly name: string; readonly isBusy: boolean }) {
  const [asks, setAsks] = useState(false);
  if (!asks)
    return (
      <Button kind="quiet" isDisabled={isBusy} label={`Delete ${name}`} onPress={() => setAsks(true)}>
        Delete
      </Button>
    );
  return (
    <>
      <Button isDisabled={isBusy} onPress={() => ask({ type: "remove", name })}>
        Yes, delete it
      </Button>
      <Button onPress={() => setAsks(false)}>Keep it</Button>
    </>
  );
}

interface KeptProps {
  readonly model: KeptModel;
  readonly isBusy: boolean;
  /** Just looked at. */
  readonly isNew: boolean;
  readonly onChosen: () => void;
}

/** A model that this browser keeps, or has begun to. */
export function KeptModelRow({ model, isBusy, isNew, onChosen }: KeptProps) {
  const { source, context, parameters } = model;
  const bytes = sizeOfModel(model);
  const missing = fileSize(bytes - keptBytes(model));
  const facts = { bytes, licence: source?.licence ?? null, context, parameters };
  const remark = isWhole(model) ? undefined : `Not brought yet: ${missing} are missing.`;
  return (
    <ModelRow facts={facts} model={model} isNew={isNew} remark={remark}>
      {isWhole(model) ? (
        <BeginButton model={model} onChosen={onChosen} />
      ) : (
        <Button kind="primary" isDisabled={isBusy} onPress={() => ask({ type: "bring", name: model.name })}>
          Bring it ({missing})
        </Button>
      )}
      <DeleteButtons name={model.name} isBusy={isBusy} />
    </ModelRow>
  );
}

/** A model that the page's server has. */
export function ServedModelRow({ model, onChosen }: { readonly model: ListedModel; readonly onChosen: () => void }) {
  const bytes = model.files.reduce((sum, file) => sum + file.bytes, 0);
  const facts = { bytes, licence: model.source?.licence ?? null, context: null, parameters: null };
  return (
    <ModelRow facts={facts} model={model} remark={`In the folder models/ of the server, as ${model.name}.`}>
      <BeginButton model={model} onChosen={onChosen} />
    </ModelRow>
  );
}

/** A model of the hub that is known to compute here. */
export function SuggestedRow({ model, isBusy }: { readonly model: SuggestedModel; readonly isBusy: boolean }) {
  const { repository, title, millions, bytes, licence, context, goodFor } = model;
  return (
    <li className="model flex flex-wrap items-center justify-between">
      <div>
        <strong>{title}</strong>
        <Facts bytes={bytes} licence={licence} context={context} parameters={millions * 1e6} />
        <p>{goodFor}</p>
      </div>
      <div className="actions">
        <Button isDisabled={isBusy} label={`Look at ${title}`} onPress={() => ask({ type: "announce", repository, revision: null })}>
          Look at it
        </Button>
      </div>
    </li>
  );
}
