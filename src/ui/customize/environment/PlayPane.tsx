// Plays an environment by hand: whoever sits here says what the model would, calls its tools, and sees what is answered and
// what it earns. Each turn plays the conversation anew from its opening, so that it is what a run would see.
import { type FormEvent, useEffect, useState } from "react";
import type { RunConfig } from "../../../protocol/config.ts";
import type { PlayedConversation, PlayedTurn, TaskPreview } from "../../../protocol/custom/tried.ts";
import { errorText } from "../../../protocol/problems.ts";
import { measureText } from "../../../protocol/quantities.ts";
import { engine } from "../../client.ts";
import { Button } from "../../controls/Button.tsx";
import { Choice } from "../../controls/Choice.tsx";
import { untilRead } from "../readCode.ts";

const SPEAKERS = { system: "System", user: "Environment", assistant: "You, as the model", tool: "Tool" } as const;
const SAYS = "\u0000says";

type Tool = TaskPreview["tools"][number];

interface Parameter {
  readonly name: string;
  readonly kind: string;
}

function parametersOf({ parameters }: Tool): readonly Parameter[] {
  const { properties } = parameters as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
  return Object.entries(properties ?? {}).map(([name, { type = "string" }]) => ({ name, kind: type }));
}

function Played({ played }: { readonly played: PlayedConversation }) {
  return (
    <ol className="played">
      {played.messages.map(({ role, content }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no name but their place
        <li key={i} className={`played-${role}`}>
          <span className="fine-print">{SPEAKERS[role]}</span>
          <span className="played-text mono">{content}</span>
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

interface ComposerProps {
  readonly tools: readonly Tool[];
  readonly onSay: (turn: PlayedTurn) => void;
}

function Composer({ tools, onSay }: ComposerProps) {
  const [way, setWay] = useState(SAYS);
  const [text, setText] = useState("");
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const tool = tools.find(({ name }) => name === way);
  const say = (event: FormEvent) => {
    event.preventDefault();
    if (tool) {
      const read = parametersOf(tool).map(({ name, kind }) => [name, kind === "number" ? Number(given[name] ?? "") : (given[name] ?? "")]);
      onSay({ text: "", calls: [{ name: tool.name, arguments: Object.fromEntries(read) }] });
    } else onSay({ text });
    setText("");
    setGiven({});
  };
  return (
    <form className="play-composer" onSubmit={say}>
      {tools.length > 0 && (
        <Choice
          label="Say or call"
          value={way}
          options={[
            { id: SAYS, title: "Say something" },
            ...tools.map(({ name, description }) => ({ id: name, title: `Call ${name}`, summary: description })),
          ]}
          onChange={setWay}
        />
      )}
      {tool ? (
        parametersOf(tool).map(({ name }) => (
          <label key={name} className="play-field">
            <span className="field-label">{name}</span>
            <input className="input" value={given[name] ?? ""} onChange={({ target }) => setGiven({ ...given, [name]: target.value })} />
          </label>
        ))
      ) : (
        <label className="play-field">
          <span className="field-label">Say</span>
          <input className="input" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      )}
      <button type="submit" className="button button-plain">
        {tool ? `Call ${tool.name}` : "Say it"}
      </button>
    </form>
  );
}

export function PlayPane({ config }: { readonly config: RunConfig }) {
  const [problem, setProblem] = useState(0);
  const [said, setSaid] = useState<readonly PlayedTurn[]>([]);
  const [played, setPlayed] = useState<PlayedConversation | null>(null);
  const [tools, setTools] = useState<readonly Tool[]>([]);
  const [fault, setFault] = useState<string | null>(null);
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
    };
    play().catch((error) => isWanted && setFault(errorText(error)));
    return () => {
      isWanted = false;
    };
  }, [config, problem, said]);
  const again = (next: number) => {
    setProblem(next);
    setSaid([]);
  };
  return (
    <section className="play" aria-labelledby="play">
      <h3 id="play">Play it yourself</h3>
      <p className="aside">You say what the model would. Nothing is trained.</p>
      {fault && (
        <p className="field-error" role="alert">
          {fault}
        </p>
      )}
      {played && (
        <>
          <Played played={played} />
          <Earned played={played} />
          {!played.isOver && <Composer tools={tools} onSay={(turn) => setSaid([...said, turn])} />}
          <div className="line">
            <Button onPress={() => again(problem)}>From the beginning</Button>
            <Button onPress={() => again(problem + 1)}>Another problem</Button>
          </div>
        </>
      )}
    </section>
  );
}
