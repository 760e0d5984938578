// What somebody says in the model's place: a text, or a call of a tool with a field for each of its arguments, by its kind.

import { type FormEvent, useState } from "react";
import type { PlayedTurn, TaskPreview } from "../../../../protocol/custom/tried.ts";
import { orElse } from "../../../../protocol/problems.ts";
import { Choice } from "../../../kit/controls/Choice.tsx";

type Tool = TaskPreview["tools"][number];

/** An argument in the JSON schema of a call. */
interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly choices: readonly (string | number)[] | null;
  readonly isOptional: boolean;
}

const SAYS = "\u0000says";
const LEFT_OUT = "\u0000none";

function parametersOf({ parameters }: Tool): readonly Parameter[] {
  const { properties = {}, required = [] } = parameters as {
    readonly properties?: Readonly<
      Record<string, { readonly type?: string; readonly description?: string; readonly enum?: readonly (string | number)[] }>
    >;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { type = "string", description = "", enum: choices = null }]) => ({
    name,
    type,
    description,
    choices,
    isOptional: !required.includes(name),
  }));
}

/** A value as it was typed, for the engine to check; nothing where an argument is left out. */
function typedValue({ type, isOptional }: Parameter, text: string): unknown {
  if (isOptional && text === "") return undefined;
  if (type === "number") return Number(text);
  if (type === "boolean") return text === "true";
  if (type === "string") return text;
  return orElse(() => JSON.parse(text), text);
}

const FORMS: Readonly<Record<string, string>> = {
  array: "a list in JSON, such as [1, 2]",
  object: 'in JSON, such as { "a": 1 }',
  number: "a number",
};

interface ArgumentProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Argument({ parameter, value, onChange }: ArgumentProps) {
  const { name, type, description, isOptional } = parameter;
  const choices = parameter.choices ?? (type === "boolean" ? ["true", "false"] : null);
  const about = [description, FORMS[type], isOptional ? "may be left out" : undefined]
    .filter((each) => each !== undefined && each !== "")
    .join("; ");
  if (choices) {
    const none = isOptional ? [{ id: LEFT_OUT, title: "left out" }] : [];
    const options = [...none, ...choices.map((each) => ({ id: String(each), title: String(each) }))];
    const first = options[0]!.id;
    return <Choice label={name} value={value || first} options={options} onChange={(id) => onChange(id === LEFT_OUT ? "" : id)} />;
  }
  return (
    <label className="play-field grid">
      <span className="field-label">
        {name} {about !== "" && <span className="fine-print">{about}</span>}
      </span>
      <input
        className="input"
        {...(type === "number" ? { inputMode: "decimal" as const } : {})}
        required={!isOptional && type !== "string"}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

/** What a field has before anybody touches it. */
function firstValue({ choices, type, isOptional }: Parameter): string {
  if (isOptional) return "";
  return choices ? String(choices[0]) : type === "boolean" ? "true" : "";
}

interface ComposerProps {
  readonly tools: readonly Tool[];
  readonly onSay: (turn: PlayedTurn) => void;
}

export function Composer({ tools, onSay }: ComposerProps) {
  const [way, setWay] = useState(SAYS);
  const [text, setText] = useState("");
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const tool = tools.find(({ name }) => name === way);
  const say = (event: FormEvent) => {
    event.preventDefault();
    if (tool) {
      const read = parametersOf(tool).map((each) => [each.name, typedValue(each, given[each.name] ?? firstValue(each))] as const);
      onSay({ text: "", calls: [{ name: tool.name, arguments: Object.fromEntries(read.filter(([, value]) => value !== undefined)) }] });
    } else onSay({ text });
    setText("");
    setGiven({});
  };
  const ways = [
    { id: SAYS, title: "Say something" },
    ...tools.map(({ name, description }) => ({ id: name, title: `Call ${name}`, summary: description })),
  ];
  return (
    <form className="grid gap-1 w-full" onSubmit={say}>
      {tools.length > 0 && <Choice label="Say or call" value={way} options={ways} onChange={setWay} />}
      {tool ? (
        parametersOf(tool).map((each) => (
          <Argument
            key={`${tool.name}/${each.name}`}
            parameter={each}
            value={given[each.name] ?? firstValue(each)}
            onChange={(value) => setGiven({ ...given, [each.name]: value })}
          />
        ))
      ) : (
        <label className="play-field grid">
          <span className="field-label">Say</span>
          <input className="input" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      )}
      <div>
        <button type="submit" className="button button-plain">
          {tool ? `Call ${tool.name}` : "Say it"}
        </button>
      </div>
    </form>
  );
}
