// The frame of a dialog, and the questions before a long run is forgotten or gives its place to another.
import { type ReactNode, useEffect, useRef } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { focusTransport } from "../../engine/trainAction.ts";
import { savedWords } from "../../runs/saves/SavedMark.tsx";
import { useRunName } from "../../runs/saves/saveTexts.ts";
import { Button } from "../controls/Button.tsx";

export interface FrameProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog over the page, with its title. */
export function Frame({ title, isOpen, onClose, children }: FrameProps) {
  return (
    <ModalOverlay className="veil" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

export type DialogProps = Pick<FrameProps, "isOpen" | "onClose">;

interface ConfirmResetProps extends DialogProps {
  readonly onConfirm: () => void;
}

/** What says yes to a question. Inside the dialog, so that it unmounts with it: while the dialog is there, it does not let the focus out. */
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
      <div className="dialog-end">
        <Button onPress={confirm}>Forget the run</Button>
        <Button kind="primary" onPress={props.onClose}>
          Keep it
        </Button>
      </div>
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
        {name} is at step {facts.step}. {sentence} A saved run can be continued from the list of saved runs; its rollouts are not kept.
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
    <Frame title="Put a new run in the place of this one?" isOpen={isOpen} onClose={onClose}>
      <RestartQuestion onClose={onClose} onConfirm={onConfirm} />
    </Frame>
  );
}
