// A dialog over the page, with its title and the buttons at its end.
import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "../controls/Button.tsx";

interface FrameProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Frame({ title, isOpen, onClose, children }: FrameProps) {
  return (
    <ModalOverlay className="veil grid" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className="modal on-surface">
        <Dialog className="dialog grid gap-2">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

export type DialogProps = Pick<FrameProps, "isOpen" | "onClose">;

interface DialogEndProps extends Pick<FrameProps, "onClose"> {
  /** What the button says that closes it. */
  readonly close?: string;
  /** The other ways out, before it. */
  readonly children?: ReactNode;
}

export function DialogEnd({ onClose, close = "Close", children }: DialogEndProps) {
  return (
    <div className="dialog-end">
      {children}
      <Button kind="primary" onPress={onClose}>
        {close}
      </Button>
    </div>
  );
}
