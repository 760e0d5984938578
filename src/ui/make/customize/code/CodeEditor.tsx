// The editor as a part of the page: its text comes from the page and goes back with every key, what is wrong stands
// under it in words as well, and below it is said how to leave it with the keyboard.
import type { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { Button } from "../../../kit/controls/Button.tsx";
import { takeCodeFocus } from "../newCode.ts";
import { type Complaint, openEditor, showComplaint, showSource } from "./editor.ts";
import type { GivenName } from "./given.ts";
import "./code.css";

interface CodeEditorProps {
  readonly label: string;
  readonly source: string;
  /** What the code is handed. */
  readonly given: readonly GivenName[];
  readonly complaint: Complaint | null;
  readonly onChange: (source: string) => void;
}

const LEAVING = "Tab indents. To leave with the keyboard: Escape, then Tab.";

/** Formats in the style of the lab's own code; rejects where the code cannot be read. */
async function formatted(source: string): Promise<string> {
  const [{ format }, babel, estree] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/babel"),
    import("prettier/plugins/estree"),
  ]);
  return format(source, { parser: "babel-ts", plugins: [babel.default, estree.default], printWidth: 100 });
}

export function CodeEditor({ label, source, given, complaint, onChange }: CodeEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const [unformatted, setUnformatted] = useState<string | null>(null);
  const told = useId();
  const tell = useEffectEvent((text: string) => {
    setUnformatted(null);
    onChange(text);
  });
  const open = useEffectEvent((place: HTMLElement) =>
    openEditor({ parent: place, source, label, description: LEAVING, given, onChange: tell }),
  );
  useEffect(() => {
    if (!parent.current) return;
    const opened = open(parent.current);
    view.current = opened;
    if (takeCodeFocus()) opened.focus();
    return () => {
      view.current = null;
      opened.destroy();
    };
  }, []);
  useEffect(() => {
    if (view.current) showSource(view.current, source);
  }, [source]);
  useEffect(() => {
    if (view.current) showComplaint(view.current, complaint);
  }, [complaint]);
  const format = () => formatted(source).then(onChange, () => setUnformatted("Correct the syntax errors first, then it can be formatted."));
  return (
    <div className="code-editor grid grid-cols-1">
      <div ref={parent} className="code-host" />
      <div className="gap-x-2 flex flex-wrap items-center justify-between">
        <p className="fine-print">{LEAVING}</p>
        <Button kind="quiet" onPress={() => void format()}>
          Format
        </Button>
      </div>
      <p id={told} className="field-error" role="status">
        {complaint ? complaint.message : (unformatted ?? "")}
      </p>
    </div>
  );
}
