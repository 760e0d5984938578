// One way in which a run leaves the page: what it is, the button that does it, and what came of it.

import { useQuestion } from "../../engine/store/useQuestion.ts";
import { Button } from "../../kit/controls/Button.tsx";

export interface Way {
  readonly name: string;
  readonly help: string;
  /** Resolves to what is to be said of it beyond that it is done. */
  readonly make: () => Promise<string | undefined>;
  /** What is done with it where that is no download. */
  readonly isCopied?: boolean;
}

interface WayRowProps extends Omit<Way, "make"> {
  /** Null where it is not ready, or cannot be had. */
  readonly make: Way["make"] | null;
  /** What it is comes while the row is shown. */
  readonly isHelpNews?: boolean;
}

export function WayRow({ name, help, make, isCopied = false, isHelpNews = false }: WayRowProps) {
  const { answer, problem, isWaiting, ask } = useQuestion(async () => ({ said: await make?.() }));
  const done = isCopied ? "Copied." : "Downloaded.";
  return (
    <li className="save line justify-between rule-above">
      <div>
        <p className="wrap-anywhere">
          <b className="strong">{name}</b>
        </p>
        <p className="aside" role={isHelpNews ? "status" : undefined}>
          {help}
        </p>
        <div role="status">
          {isWaiting && <p className="note">Writing …</p>}
          {answer && !isWaiting && problem === null && <p className="note">{answer.said ? `${done} ${answer.said}` : done}</p>}
          {problem !== null && <p className="save-problem">{problem}</p>}
        </div>
      </div>
      <Button isResting={isWaiting || make === null} onPress={() => ask()} label={`${isCopied ? "Copy" : "Download"} ${name}`}>
        {isCopied ? "Copy" : "Download"}
      </Button>
    </li>
  );
}
