// What the editor offers while code is typed: the fields that the code is handed, with their types, and what the language
// has on a text, a list or a number. What is handed is plain data, so that other code than a reward's brings its own.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { localCompletionSource, scopeCompletionSource } from "@codemirror/lang-javascript";
import type { GivenName } from "./given.ts";

const completionOf = ({ name, type, help }: GivenName): Completion => ({
  label: name,
  detail: type,
  info: help,
  type: "property",
  boost: 2,
});

/** Fields at the places where they can be named: alone, in a pattern, and behind the dot of what has members. */
function givenSource(given: readonly GivenName[]): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const behind = context.matchBefore(/([A-Za-z_$][\w$]*)(?:\[[^\]]*\]|\.at\([^)]*\))?\.[\w$]*$/);
    if (behind) {
      const dot = behind.text.lastIndexOf(".");
      const owner = /^[\w$]+/.exec(behind.text)?.[0] ?? "";
      // One of a list is mostly called by the list's name without its end.
      const found = given.find(({ name, members }) => members && (name === owner || name === `${owner}s`));
      return found?.members ? { from: behind.from + dot + 1, options: found.members.map(completionOf), validFor: /^\w*$/ } : null;
    }
    const word = context.matchBefore(/[A-Za-z_$][\w$]*$/);
    if (!word && !context.explicit) return null;
    return { from: word?.from ?? context.pos, options: given.map(completionOf), validFor: /^\w*$/ };
  };
}

/** What the language has behind the dot of what is handed, and the global names that the sandbox leaves. */
function languageSources(given: readonly GivenName[]): readonly CompletionSource[] {
  const samples = given.map(({ name, type }) => [name, type === "string" ? "" : type.endsWith("[]") ? [] : {}]);
  const behindDot = scopeCompletionSource(Object.fromEntries(samples));
  const names = new Set(given.map(({ name }) => name));
  return [
    scopeCompletionSource({ Math, JSON, Number, String, Array, Object, Set, Map, RegExp }),
    (context) => (context.matchBefore(/\.\w*$/) ? behindDot(context) : null),
    (context) => {
      const found = localCompletionSource(context);
      // What is handed is offered with its type already.
      return found && { ...found, options: found.options.filter(({ label }) => !names.has(label)) };
    },
  ];
}

/** All sources of an editor whose code is handed these names. */
export function completionsFor(given: readonly GivenName[]): readonly CompletionSource[] {
  return [givenSource(given), ...languageSources(given)];
}
