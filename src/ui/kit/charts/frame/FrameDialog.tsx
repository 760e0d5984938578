// The code of a frame, to copy. It is not shown here as it will look: the page's own policy lets no other page into it.
import { useState } from "react";
import { Button } from "../../controls/Button.tsx";
import { useDialog } from "../../dialog/dialogStore.ts";
import { DialogEnd, Frame } from "../../dialog/Frame.tsx";
import "./frame.css";

export function FrameDialog({ onClose }: { readonly onClose: () => void }) {
  const { title, code } = useDialog((facts) => facts.frame);
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => setSaid("Copied."),
      () => setSaid("The browser refused to copy: select the code and copy it."),
    );
  return (
    <Frame title={`${title}, as a frame`} isOpen onClose={onClose}>
      <p>
        This code shows the figure in any web page, or in slides made of web pages. It holds everything it shows: it loads nothing and runs
        nothing. It follows the reader's light or dark theme.
      </p>
      <textarea
        className="frame-code w-full ink"
        aria-label="The code of the frame"
        rows={8}
        readOnly
        spellCheck={false}
        value={code}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p className="fine-print" role="status">
        {said || `${Math.ceil(code.length / 1000)} kB`}
      </p>
      <DialogEnd onClose={onClose}>
        <Button onPress={() => void copy()}>Copy the code</Button>
      </DialogEnd>
    </Frame>
  );
}
