// The ways to hand on what is on screen: the run itself, in a link or as a file, or the settings that it was made with.

import { openDialog } from "../../engine/dialogStore.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Frame } from "../../kit/dialog/dialogs.tsx";
import { copySettings } from "../../shell/CopyLink.tsx";
import { type Way, WayRow } from "../saves/WayRow.tsx";
import { copyRunLink, downloadRollout, placeText } from "./shareRun.ts";
import "../saves/saves.css";

const settings = () => copySettings().then((isPartial) => (isPartial ? "Settings that were changed on the way are not in it." : undefined));

function waysTo(place: string): readonly Way[] {
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

export function ShareDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Frame title="Share this run" isOpen onClose={onClose}>
      <ul className="saves">
        {waysTo(placeText()).map((way) => (
          <WayRow key={way.name} {...way} />
        ))}
      </ul>
      <div className="dialog-end">
        <Button onPress={() => openDialog("export")}>Report and other forms</Button>
        <Button kind="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Frame>
  );
}
