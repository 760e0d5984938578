// The picker of models: what this browser keeps, what the server has beside the page, what is known to compute here, and
// any other model of the hub by its name. Nothing is asked of the hub before somebody presses a button.
import { useEffect, useRef, useState } from "react";
import { bytesText } from "../../../protocol/memory.ts";
import { isWhole } from "../../../protocol/models/keptModels.ts";
import { readModelName } from "../../../protocol/models/modelName.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Problem } from "../../kit/controls/States.tsx";
import { TextInput } from "../../kit/controls/TextInput.tsx";
import { Frame } from "../../kit/dialog/Frame.tsx";
import { ChooseFiles } from "../../kit/form/ChooseFiles.tsx";
import { KeptModelRow, ServedModelRow, SuggestedRow } from "./ModelRows.tsx";
import { ask, paceOf, readModels, useFormModel, useModels, type Work } from "./modelsStore.ts";
import { SUGGESTED } from "./suggested.ts";
import { WantedModel } from "./WantedModel.tsx";
import "./models.css";

const DOES: Readonly<Record<Work["what"], string>> = {
  announce: "Asking the hub about",
  bring: "Bringing",
  take: "Keeping",
  remove: "Removing",
  list: "",
  cancel: "",
};

function timeText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function Progress({ work }: { readonly work: Work }) {
  const pace = paceOf(work, performance.now());
  const share = work.total > 0 ? work.done / work.total : 0;
  const size = (bytes: number) => bytesText(bytes, 1000);
  return (
    <section className="model-work grid justify-items-start gap-half" aria-label="What is under way">
      <p role="status">
        {DOES[work.what]} {work.name} …
      </p>
      {work.total > 0 && (
        <>
          <progress value={share} aria-label={`${DOES[work.what]} ${work.name}`} />
          <p className="fine-print">
            {size(work.done)} of {size(work.total)}
            {pace && `, ${size(pace.bytesPerSecond)} a second, ${timeText(pace.secondsLeft)} left`}
          </p>
        </>
      )}
      {work.what === "bring" && <Button onPress={() => ask({ type: "cancel" })}>Stop here</Button>}
    </section>
  );
}

/** Another model of the hub, or files of this machine. */
function OtherModels({ isBusy }: { readonly isBusy: boolean }) {
  const [typed, setTyped] = useState("");
  const name = readModelName(typed);
  const take = (files: readonly File[]) => {
    const [first] = files;
    if (first) ask({ type: "take", name: first.webkitRelativePath.split("/").at(-2) ?? first.name, files });
  };
  return (
    <section className="bring stack aside rule-above" aria-label="Another model">
      <TextInput
        label="Another model of the Hugging Face hub, as OWNER/NAME or OWNER/NAME@REVISION"
        value={typed}
        refusal={(text) =>
          text === "" || readModelName(text)?.kind === "hub"
            ? undefined
            : "must be OWNER/NAME or OWNER/NAME@REVISION, such as Qwen/Qwen3-0.6B"
        }
        onChange={setTyped}
      />
      <div className="actions">
        <Button
          isDisabled={isBusy}
          onPress={() =>
            name?.kind === "hub"
              ? ask({ type: "announce", repository: name.repository, revision: name.revision })
              : useModels.setState({ problem: "Type the name of a model first, such as Qwen/Qwen3-0.6B." })
          }
        >
          Look at it
        </Button>
        <ChooseFiles what="A GGUF file" endings=".gguf" isDisabled={isBusy} onChoose={take}>
          Choose a GGUF file
        </ChooseFiles>
        <ChooseFiles what="A model's folder" isFolder isDisabled={isBusy} onChoose={take}>
          Choose a model's folder
        </ChooseFiles>
      </div>
      <p className="fine-print">
        Models of Llama's, Qwen2's and Qwen3's kind compute here. A GGUF file or a folder can be dropped anywhere on the page as well.
      </p>
    </section>
  );
}

export function ModelsDialog({ onClose }: { readonly onClose: () => void }) {
  const { models, served, free, work, problem, named } = useModels();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => void readModels(), []);
  // After each change: what had the focus may be gone or disabled now, and keys would go nowhere.
  useEffect(() => {
    const { activeElement } = document;
    if (frame.current && (!frame.current.contains(activeElement) || activeElement?.matches(":disabled")))
      frame.current.focus({ preventScroll: true });
  });
  const wanted = useFormModel();
  // It stands above.
  const isWanted = (repository: string) => wanted?.kind === "hub" && wanted.repository === repository;
  const known = new Set([...(models ?? []), ...served].map(({ source }) => source?.repository));
  const isBusy = work !== null;
  return (
    <Frame title="Choose a model" isOpen onClose={onClose}>
      <div className="stack models-frame" ref={frame} tabIndex={-1}>
        <p>
          A run can begin with a pretrained language model. It is downloaded once and stays in this browser, so it then works without a
          connection. Small adapters (LoRA) beside it are trained; the model itself does not change.
        </p>
        <Problem text={problem} />
        {work && <Progress work={work} />}
        <WantedModel isBusy={isBusy} />
        <h3>Here</h3>
        {models === null && <p role="status">Looking what is here …</p>}
        {models?.length === 0 && <p className="aside">No model is kept in this browser yet.</p>}
        <ul className="grid">
          {models?.map((model) => (
            <KeptModelRow
              key={model.name}
              model={model}
              isBusy={isBusy}
              isNew={model.name === named && !isWhole(model)}
              onChosen={onClose}
            />
          ))}
          {served.map((model) => (
            <ServedModelRow key={model.name} model={model} onChosen={onClose} />
          ))}
        </ul>
        {free !== null && <p className="fine-print">This browser has room for {bytesText(free, 1000)} more.</p>}
        <h3>On the Hugging Face hub</h3>
        <ul className="grid">
          {SUGGESTED.filter(({ repository }) => !known.has(repository) && !isWanted(repository)).map((model) => (
            <SuggestedRow key={model.repository} model={model} isBusy={isBusy} />
          ))}
        </ul>
        <OtherModels isBusy={isBusy} />
        <div className="dialog-end">
          <Button onPress={onClose}>Close</Button>
        </div>
      </div>
    </Frame>
  );
}
