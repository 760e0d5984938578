// The ways to hand on what is on screen: the run itself, in a link or as a file, or the settings that it was made with.

import { Button } from "../../kit/controls/Button.tsx";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { DialogEnd, Frame } from "../../kit/dialog/Frame.tsx";
import { type Way, WayRow } from "../saves/WayRow.tsx";
import { copyRunLink, downloadRollout, placeText } from "./shareRun.ts";
import "../saves/saves.css";

interface ShareDialogProps {
  /** Copies a link to the settings; tells whether it leaves some out. */
  readonly copySettings: () => Promise<boolean>;
  readonly onClose: () => void;
}

function waysTo(place: string, copySettings: () => Promise<boolean>): readonly Way[] {
  const settings = async () => ((await copySettings()) ? "Settings that were changed on the way are not in it." : undefined);
  return [
    {
      ...{ name: "link to the run", isCopied: true, make: copyRunLink },
      help: `The link holds the recording: whoever opens it, in any browser, sees ${place}, with the same numbers. For short runs; conversations that do not fit stay behind, those of this step last.`,
    },
    {
      ...{ name: "file of the run", make: downloadRollout },
      help: "The whole recording, with all conversations that are kept: dropped on this page it is replayed, and goes on from any step.",
    },
    {
      ...{ name: "link to the settings", isCopied: true, make: settings },
      help: "A short link without the run: whoever opens it can train the same run again, to the bit, and gets to this place.",
    },
  ];
}

export function ShareDialog({ copySettings, onClose }: ShareDialogProps) {
  return (
    <Frame title="Share this run" isOpen onClose={onClose}>
      <ul className="saves">
        {waysTo(placeText(), copySettings).map((way) => (
          <WayRow key={way.name} {...way} />
        ))}
      </ul>
      <DialogEnd onClose={onClose}>
        <Button onPress={() => openDialog("export")}>Report and other forms</Button>
      </DialogEnd>
    </Frame>
  );
}
