// The code editor: CodeMirror 6 with what code here needs, in the page's colours. It loads with the first code that is
// shown. It lives in a shadow tree: its style sheets are adopted there, where the page's policy forbids style elements.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completionsFor } from "./completions.ts";
import type { GivenName } from "./given.ts";

/** What is wrong with the code, by the sandbox's own words. */
export interface Complaint {
  readonly message: string;
  /** Line of the code, from 1; the whole code where it is not known. */
  readonly line?: number;
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.definitionKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: "var(--series-2)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--attention)" },
  { tag: [tags.typeName, tags.typeOperator], color: "var(--ink-soft)" },
  { tag: tags.comment, color: "var(--ink-faint)", fontStyle: "italic" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "var(--size-small)", border: "1px solid var(--rule-strong)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    fontVariantLigatures: "none",
    lineHeight: "1.55",
    minHeight: "16rem",
    maxHeight: "60vh",
  },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--rule-strong)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.85", marginInlineStart: "1.5em" },
  ".cm-completionInfo": { padding: "4px 8px", maxWidth: "36ch", fontFamily: "var(--font-text)" },
  // The library's own marks are pictures from text, which the page's policy does not load.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--attention) 1.5px", textUnderlineOffset: "3px" },
  ".cm-lint-marker-error": { content: "none", width: "8px", height: "8px", borderRadius: "4px", backgroundColor: "var(--attention)" },
  ".cm-gutter-lint .cm-gutterElement": { display: "flex", alignItems: "center" },
  ".cm-diagnostic-error": { borderInlineStart: "4px solid var(--attention)" },
  ".cm-diagnostic": { padding: "4px 8px", fontFamily: "var(--font-text)" },
});

/** Put on what the page sets, so that it is not told to the page as typed. */
const fromPage = Annotation.define<true>();

interface EditorSettings {
  readonly parent: HTMLElement;
  readonly source: string;
  readonly label: string;
  /** Told to those who do not see the editor. */
  readonly description: string;
  readonly given: readonly GivenName[];
  readonly onChange: (source: string) => void;
}

/** How long after Escape a Tab leaves the editor. */
const LEAVING_MS = 2_000;

function extensionsFor({ label, description, given, onChange }: EditorSettings): readonly Extension[] {
  return [
    lineNumbers(),
    history(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    EditorView.lineWrapping,
    highlightActiveLine(),
    javascript({ typescript: true }),
    syntaxHighlighting(colours),
    theme,
    autocompletion({ override: [...completionsFor(given)], icons: false }),
    lintGutter(),
    // Escape that closes a list of completions lets the next Tab leave as well.
    EditorView.domEventObservers({ keydown: ({ key }, view) => void (key === "Escape" && view.setTabFocusMode(LEAVING_MS)) }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
    // Said outright, since checkers do not take what is editable for what the keyboard reaches.
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-description": description, spellcheck: "false" }),
    EditorView.updateListener.of((update) => {
      const isTyped = update.docChanged && !update.transactions.some((each) => each.annotation(fromPage));
      if (isTyped) onChange(update.state.doc.toString());
    }),
  ];
}

/** Opens an editor in a shadow tree of its parent. */
export function openEditor(settings: EditorSettings): EditorView {
  const root = settings.parent.shadowRoot ?? settings.parent.attachShadow({ mode: "open" });
  const state = EditorState.create({ doc: settings.source, extensions: [...extensionsFor(settings)] });
  return new EditorView({ state, parent: root, root });
}

/** Puts another text in the place of what is there, unless it is the same. */
export function showSource(view: EditorView, source: string): void {
  if (view.state.doc.toString() === source) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source }, annotations: fromPage.of(true) });
}

/** Underlines the line that is wrong. */
export function showComplaint(view: EditorView, complaint: Complaint | null): void {
  const { doc } = view.state;
  const found: Diagnostic[] = [];
  if (complaint) {
    const { from, to } = doc.line(Math.min(Math.max(1, complaint.line ?? 1), doc.lines));
    found.push({ from, to, severity: "error", message: complaint.message });
  }
  view.dispatch(setDiagnostics(view.state, found));
}
