// What is asked before a link to a recording is followed, and what is said where it cannot be.
import { bytesText } from "../../../protocol/memory.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { Problem } from "../../kit/controls/States.tsx";
import { DialogEnd, Frame } from "../../kit/dialog/Frame.tsx";
import { follow } from "./arrival.ts";
import { useBrought } from "./openRecording.ts";
import type { ReplaySource } from "./replayLink.ts";

function What({ source }: { readonly source: ReplaySource }) {
  if (source.kind !== "from")
    return <p>A run is training here. It makes room for the recording of the link, and stays saved up to its present step.</p>;
  const { url, bytes } = source;
  return (
    <>
      <p>
        The link names a recording on <b className="strong">{url.host}</b>
        {bytes === null ? ", and does not say how large it is" : ` of ${bytesText(bytes, 1000)}`}. Nothing has been fetched yet. That host
        will see that your address asked for the file, and nothing else about you or your runs.
      </p>
      <p className="fine-print">{url.href}</p>
    </>
  );
}

export function ReplayQuestion({ onClose }: { readonly onClose: () => void }) {
  const { link, linkProblem: problem, isFetching } = useBrought();
  const isOpen = link !== null || problem !== null;
  return (
    <Frame
      title={problem === null ? "Open a recording from elsewhere?" : "The recording cannot be opened"}
      isOpen={isOpen}
      onClose={onClose}
    >
      {problem === null && link && <What source={link.source} />}
      <Problem text={problem} />
      {isFetching && <p role="status">Fetching …</p>}
      <DialogEnd close={problem === null ? "Leave it" : "Close"} onClose={onClose}>
        {link && (
          <Button isDisabled={isFetching} onPress={() => void follow(link)}>
            {problem === null ? "Fetch and open it" : "Try again"}
          </Button>
        )}
      </DialogEnd>
    </Frame>
  );
}
