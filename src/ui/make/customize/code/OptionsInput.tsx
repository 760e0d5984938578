// The options that code of one's own is handed: a name and a value a line, so that what is tried in numbers needs no other code.
import { TextInput } from "../../../kit/controls/TextInput.tsx";

type Options = Readonly<Record<string, number | string | boolean>>;

const LINE = /^([A-Za-z_$][\w$]*)\s*=\s*(.*)$/;

/** A value as it is written: a number, true or false, else a text. */
function readValue(text: string): number | string | boolean {
  if (text === "true" || text === "false") return text === "true";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The options of all lines, or what is wrong with one. */
export function readOptions(text: string): Options | string {
  const found: Record<string, number | string | boolean> = {};
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const [, name, value = ""] = LINE.exec(line.trim()) ?? [];
    if (name === undefined) return `Line ${i + 1} must be a name, = and a value, such as scale = 0.5`;
    if (Object.hasOwn(found, name)) return `Line ${i + 1} has ${name} a second time`;
    found[name] = readValue(value);
  }
  return found;
}

interface OptionsInputProps {
  /** What the code is called: its field keeps what is typed under it. */
  readonly of: string;
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}

export function OptionsInput({ of, options, onChange }: OptionsInputProps) {
  const lines = Object.entries(options).map(([name, value]) => `${name} = ${value}`);
  return (
    <>
      <TextInput
        label="Options of the code"
        value={lines.join("\n")}
        hasLines
        keepAs={`options/${of}`}
        refusal={(typed) => {
          const read = readOptions(typed);
          return typeof read === "string" ? read : undefined;
        }}
        onChange={(typed) => {
          const read = readOptions(typed);
          if (typeof read !== "string") onChange(read);
        }}
      />
      <p className="aside">One on each line, such as scale = 0.5. The code reads it as options.scale.</p>
    </>
  );
}
