// The model that the form's run begins with, where it is not here yet: a link names one that the browser of whoever
// follows it may not have.
import { isNamed } from "../../../protocol/models/modelName.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Facts } from "./ModelRows.tsx";
import { ask, useFormModel, useModels } from "./modelsStore.ts";
import { SUGGESTED } from "./suggested.ts";

/** Says which model the form's run lacks and how it comes here; nothing where it lacks none. */
export function WantedModel({ isBusy }: { readonly isBusy: boolean }) {
  const name = useFormModel();
  const { models, served } = useModels();
  if (!name || models === null || [...models, ...served].some((model) => isNamed(model, name))) return null;
  if (name.kind !== "hub") {
    const called = name.kind === "path" ? name.path : name.name;
    return (
      <p className="model-wanted" role="status">
        The form's run begins with <strong>{called}</strong>, a model of files that is not in this browser: choose its file or its folder
        below.
      </p>
    );
  }
  const { repository, revision } = name;
  const known = SUGGESTED.find((each) => each.repository === repository);
  return (
    <section className="model model-wanted flex flex-wrap items-center justify-between" aria-label="The model of the form's run">
      <div>
        <p role="status">
          The form's run begins with <strong>{revision === null ? repository : `${repository}@${revision}`}</strong>, which is not in this
          browser yet.
        </p>
        {known && <Facts {...known} parameters={known.millions * 1e6} />}
        <p className="fine-print">
          This asks the hub for its size and licence and downloads its tokenizer, not its weights
          {known ? "" : "; its size is told before those come"}.
        </p>
      </div>
      <div className="actions">
        <Button kind="primary" isDisabled={isBusy} onPress={() => ask({ type: "announce", repository, revision })}>
          Look at it
        </Button>
      </div>
    </section>
  );
}
