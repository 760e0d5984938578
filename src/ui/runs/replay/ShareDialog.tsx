// The ways to hand on what is on screen: the run itself, in a link or as a file, or the settings that it was made with.
import { counted } from "../../../protocol/quantities.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { DialogEnd, Frame } from "../../kit/dialog/Frame.tsx";
import { copyText } from "../../kit/files.ts";
import { type Way, WayRow } from "../saves/WayRow.tsx";
import { downloadRollout, placeWords, runLink } from "./shareRun.ts";
import "../saves/saves.css";

interface ShareDialogProps {
  /** Copies a link to the settings; tells whether it leaves some out. */
  readonly copySettings: () => Promise<boolean>;
  readonly onClose: () => void;
}

/** The link is made as the dialog opens, so that what it leaves out is said before it is copied, and copying cannot fail for its length. */
function LinkRow({ place }: { readonly place: string }) {
  // Asked once, of the place that the dialog was opened on.
  const { answer, problem } = useAnswer("link", runLink);
  const opens = `Everyone who opens it, in any browser, sees ${place}, with the same numbers.`;
  const made =
    answer &&
    [
      opens,
      `It holds ${answer.holds}.`,
      ...(answer.lacks.length > 0 ? [`Left out: ${answer.lacks.join("; ")}. The file below holds all of it.`] : []),
    ].join(" ");
  const help =
    made ?? (problem === null ? `${opens} Making it …` : `A link cannot hold this run: ${problem}. The file below holds all of it.`);
  const copy =
    answer &&
    (() =>
      copyText(Promise.resolve(answer.link)).then(() => `${counted(new Intl.NumberFormat("en").format(answer.link.length), "letter")}.`));
  return <WayRow name="link to the run" isCopied help={help} make={copy} isHelpNews />;
}

const FILE: Way = {
  name: "file of the run",
  make: downloadRollout,
  help: "The whole recording, with all saved conversations. Drop it on this page to open it at this place, replay it, or continue from any step.",
};

export function ShareDialog({ copySettings, onClose }: ShareDialogProps) {
  const settings: Way = {
    name: "link to the settings",
    isCopied: true,
    make: async () => ((await copySettings()) ? "It does not hold settings that were changed during the run." : undefined),
    help: "A short link without the run. People who open it can train exactly the same run again and get to this place.",
  };
  return (
    <Frame title="Share this run" isOpen onClose={onClose}>
      <ul className="saves grid">
        <LinkRow place={placeWords()} />
        <WayRow {...FILE} />
        <WayRow {...settings} />
      </ul>
      <DialogEnd onClose={onClose}>
        <Button onPress={() => openDialog("export")}>Report and other forms</Button>
      </DialogEnd>
    </Frame>
  );
}
