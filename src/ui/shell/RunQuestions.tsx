// The questions before a long run is forgotten or gives its place to another.
import { useEffect, useRef } from "react";
import { useRunName } from "../engine/saves/saveTexts.ts";
import { useEngine, useRun } from "../engine/store/useRunView.ts";
import { focusTransport } from "../engine/trainAction.ts";
import { Button } from "../kit/controls/Button.tsx";
import { DialogEnd, type DialogProps, Frame } from "../kit/dialog/Frame.tsx";
import { savedWords } from "../runs/saves/SavedMark.tsx";

interface ConfirmResetProps extends DialogProps {
  readonly onConfirm: () => void;
}

/**
 * What says yes to a question. Inside the dialog, so that it unmounts with it: while the dialog is there, it does not
 * let the focus out.
 */
function useConfirmed({ onClose, onConfirm }: Omit<ConfirmResetProps, "isOpen">): () => void {
  const isConfirmed = useRef(false);
  useEffect(() => () => void (isConfirmed.current && focusTransport("train")), []);
  return () => {
    isConfirmed.current = true;
    onConfirm();
    onClose();
  };
}

function ResetQuestion(props: Omit<ConfirmResetProps, "isOpen">) {
  const step = useRun((facts) => facts.step);
  const confirm = useConfirmed(props);
  return (
    <>
      <p>
        {step === 1 ? "Its step, the" : `Its ${step} steps, their`} rollouts and the save in this browser are removed. The configuration
        stays.
      </p>
      <DialogEnd close="Keep it" onClose={props.onClose}>
        <Button onPress={confirm}>Forget the run</Button>
      </DialogEnd>
    </>
  );
}

export function ConfirmReset({ isOpen, onClose, onConfirm }: ConfirmResetProps) {
  return (
    <Frame title="Forget this run?" isOpen={isOpen} onClose={onClose}>
      <ResetQuestion onClose={onClose} onConfirm={onConfirm} />
    </Frame>
  );
}

/** Inside the dialog, so that it reads the run that is there when it opens. */
function RestartQuestion(props: Omit<ConfirmResetProps, "isOpen">) {
  const facts = useRun((all) => all);
  const storageProblem = useEngine((engine) => engine.storageProblem);
  const name = useRunName();
  const confirm = useConfirmed(props);
  const { sentence } = savedWords(facts, storageProblem);
  return (
    <>
      <p>
        {name} is at step {facts.step}. {sentence} You can continue a saved run from the list of saved runs, but its rollouts are not saved.
      </p>
      <div className="dialog-end">
        <Button onPress={props.onClose}>Keep it</Button>
        <Button kind="primary" onPress={confirm}>
          Start the new run
        </Button>
      </div>
    </>
  );
}

export function ConfirmRestart({ isOpen, onClose, onConfirm }: ConfirmResetProps) {
  return (
    <Frame title="Replace this run by a new one?" isOpen={isOpen} onClose={onClose}>
      <RestartQuestion onClose={onClose} onConfirm={onConfirm} />
    </Frame>
  );
}
