// What answers the prompts: a model that knows English, one of the lab's small ones, or any other, each with its limits.
import { useEffect } from "react";
import { Button } from "../../../kit/controls/Button.tsx";
import { openDialog } from "../../../kit/dialog/dialogStore.ts";
import { useDraftView } from "../../form/draftView.ts";
import { chooseModel, isSmall, smollm2Here } from "../../models/chooseModel.ts";
import { readModels, useModels } from "../../models/modelsStore.ts";
import { smollm2Size } from "../../models/suggested.ts";
import { Card, Cards } from "../Cards.tsx";

/** The lab's model for text that no preset names. */
const SMALL = "base";

interface ModelCardProps {
  readonly title: string;
  readonly lines: readonly string[];
  readonly isChosen: boolean;
  readonly action: string;
  readonly onPress: () => void;
}

function ModelCard({ title, lines, isChosen, action, onPress }: ModelCardProps) {
  return (
    <Card title={title}>
      <div className="stack">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
      {isChosen ? <p className="strong">Chosen.</p> : <Button onPress={onPress}>{action}</Button>}
    </Card>
  );
}

/** The section of Customize about the model. */
export function ModelSection() {
  const view = useDraftView();
  const facts = useModels();
  useEffect(() => void readModels(), []);
  const { checkpoint, isHere } = smollm2Here(facts);
  const { model, startFrom, checkpoint: chosen = "" } = view.shown;
  const begins = model === "transformer" && startFrom === "checkpoint";
  const takeSmol = () => {
    chooseModel(checkpoint);
    if (!isHere) openDialog("models");
  };
  return (
    <Cards>
      <ModelCard
        title="SmolLM2, which knows English"
        lines={[
          "For prompts in words. It learns style, form and short answers; most sums and facts are too hard for its 135 million weights.",
          "A step takes seconds on a quiet machine, so a dozen steps take a few minutes. “Sample once” tells how many they are here.",
          isHere ? "It is here already." : `It is downloaded once, ${smollm2Size()}, and stays in this browser.`,
        ]}
        isChosen={begins && chosen === checkpoint}
        action={isHere ? "Begin with SmolLM2" : "Bring SmolLM2"}
        onPress={takeSmol}
      />
      <ModelCard
        title="A small model of the lab"
        lines={[
          "For digits, sums and words of a few letters. It knows no English, and answers prompts in words with nonsense.",
          "It starts at once, and hundreds of steps take a minute or two.",
        ]}
        isChosen={begins && isSmall(chosen)}
        action="Begin with the small one"
        onPress={() => chooseModel(SMALL)}
      />
      <ModelCard
        title="Another model"
        lines={["A larger SmolLM2, a Qwen, or any model of Llama's or Qwen's kind: from the Hugging Face hub, a file or a folder."]}
        isChosen={begins && !isSmall(chosen) && chosen !== checkpoint}
        action="Choose a model"
        onPress={() => openDialog("models")}
      />
    </Cards>
  );
}
