// Plays an environment by hand: whoever sits here says what the model would, calls its tools, and sees what is answered and
// what it earns. Each turn plays the conversation anew from its opening, so that it is what a run would see.
import { useEffect, useEffectEvent, useState } from "react";
import type { RunConfig } from "../../../../protocol/config.ts";
import type { PlayedConversation, PlayedTurn, TaskPreview } from "../../../../protocol/custom/tried.ts";
import { errorText } from "../../../../protocol/problems.ts";
import { measureText } from "../../../../protocol/quantities.ts";
import { engine } from "../../../engine/client.ts";
import { untilRead } from "../../../engine/sourcesRead.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Problem } from "../../../kit/controls/States.tsx";
import { Composer } from "./Composer.tsx";

const SPEAKERS = { system: "System", user: "Environment", assistant: "You, as the model", tool: "Tool" } as const;
/** Where the code itself is wrong, the sandbox names its line. */
const LINE = /\(line \d+\)/;

type Tool = TaskPreview["tools"][number];

function Played({ played }: { readonly played: PlayedConversation }) {
  return (
    <ol className="played grid gap-1 w-full">
      {played.messages.map(({ role, content }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no name but their place
        <li key={i} className={`played-${role}`}>
          <span className="fine-print">{SPEAKERS[role]}</span>
          <span className="mono wrap-anywhere keeps-lines">{content}</span>
        </li>
      ))}
    </ol>
  );
}

/** What the conversation has earned, turn by turn and in all. */
function Earned({ played }: { readonly played: PlayedConversation }) {
  const turns =
    played.report?.turns.flatMap(({ reward }, t) => (reward === undefined ? [] : [`turn ${t + 1}: ${measureText(reward)}`])) ?? [];
  return (
    <p role="status" className="aside">
      {turns.length > 0 && `Earned so far: ${turns.join(", ")}. `}
      {played.isOver && (
        <>
          The conversation is over{played.ended === null ? "" : `: ${played.ended}`}.{" "}
          {played.reward === null ? "It earns nothing that counts." : `Its reward is ${measureText(played.reward)}.`}
        </>
      )}
    </p>
  );
}

interface PlayPaneProps {
  readonly config: RunConfig;
  /** Told what is wrong with the code, in the sandbox's words; null where nothing is. */
  readonly onFault: (fault: string | null) => void;
}

export function PlayPane({ config, onFault }: PlayPaneProps) {
  const [problem, setProblem] = useState(0);
  const [said, setSaid] = useState<readonly PlayedTurn[]>([]);
  const [played, setPlayed] = useState<PlayedConversation | null>(null);
  const [tools, setTools] = useState<readonly Tool[]>([]);
  const [fault, setFault] = useState<string | null>(null);
  const tell = useEffectEvent(onFault);
  useEffect(() => {
    let isWanted = true;
    const play = async () => {
      await untilRead(config);
      const preview = await engine.request({ type: "preview", config });
      const conversation = await engine.request({
        type: "play",
        config,
        problem,
        said: said.map((turn) => ({ ...turn, ...(turn.calls ? { calls: [...turn.calls] } : {}) })) as never,
      });
      if (!isWanted) return;
      setTools(preview.tools);
      setPlayed(conversation);
      setFault(null);
      tell(conversation.isOver && conversation.ended !== null && LINE.test(conversation.ended) ? conversation.ended : null);
    };
    play().catch((error) => {
      if (!isWanted) return;
      setFault(errorText(error));
      tell(errorText(error));
    });
    return () => {
      isWanted = false;
    };
  }, [config, problem, said]);
  const again = (next: number) => {
    setProblem(next);
    setSaid([]);
  };
  return (
    <section className="play grid grid-cols-1 content-start justify-items-start gap-2" aria-labelledby="play">
      <h3 id="play">Play it yourself</h3>
      <p className="aside">You say what the model would. Nothing is trained.</p>
      <Problem text={fault} isOfField />
      {played && (
        <>
          <Played played={played} />
          <Earned played={played} />
          {!played.isOver && <Composer tools={tools} onSay={(turn) => setSaid([...said, turn])} />}
          <div className="actions">
            <Button onPress={() => again(problem)}>From the beginning</Button>
            <Button onPress={() => again(problem + 1)}>Another problem</Button>
          </div>
        </>
      )}
    </section>
  );
}
