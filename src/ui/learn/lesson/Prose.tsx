// The texts of lessons: a small Markdown, in which words of the glossary and numbers of the state are called by name.
// Paragraphs, "1." lists and "> " notes stand apart by an empty line. Within one: **bold**, *italic*, `code`, [text](address),
// [[advantage]] or [[kl|KL]] for a word of the glossary, π_{ref} and e^{−d}, {name} for a number (text.ts).
import { createElement, Fragment, type ReactNode } from "react";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { GLOSSARY } from "../../kit/words/glossary.ts";
import { Term } from "../../kit/words/Term.tsx";
import { NAMED, type Words, written } from "./text.ts";

const MARKS = new RegExp(
  [
    /\*\*(?<bold>.+?)\*\*/,
    /\*(?<italic>.+?)\*/,
    /`(?<code>.+?)`/,
    /\[\[(?<term>[\w-]+)(?:\|(?<shown>.+?))?\]\]/,
    /\[(?<link>[^\]]+)\]\((?<href>\S+)\)/,
    /_\{(?<sub>(?:[^{}]|\{.*?\})+)\}/,
    /\^\{(?<sup>(?:[^{}]|\{.*?\})+)\}/,
    NAMED,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** A word of the glossary as it stands in the text. */
function termNode(id: string, shown: string): ReactNode {
  const known = GLOSSARY.find((entry) => entry.id === id);
  if (!known) throw new Error(`internal: no word [[${id}]] in the glossary`);
  return <Term id={known.id}>{shown}</Term>;
}

function markNode(found: Readonly<Record<string, string | undefined>>, words: Words): ReactNode {
  const { bold, italic, code, term, shown, link, href, sub, sup, name, format, symbol } = found;
  if (bold) return <b>{inline(bold, words)}</b>;
  if (italic) return <i>{inline(italic, words)}</i>;
  if (code) return <span className="mono">{inline(code, words)}</span>;
  if (term) return termNode(term, shown ?? term);
  if (link)
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {link}
      </a>
    );
  if (sub) return <sub>{inline(sub, words)}</sub>;
  if (sup) return <sup>{inline(sup, words)}</sup>;
  const number = written(words, name ?? "", format);
  return symbol ? <SymbolNumber name={symbol}>{number}</SymbolNumber> : number;
}

/** One paragraph without its element. */
export function inline(text: string, words: Words = {}): ReactNode {
  const nodes: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKS)) {
    nodes.push(text.slice(from, match.index), markNode(match.groups ?? {}, words));
    from = match.index + match[0].length;
  }
  return createElement(Fragment, null, ...nodes, text.slice(from));
}

/** A text on paper: of a link, what stands in its place. */
export function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(\S+\)/g, "$1");
}

function block(text: string, words: Words): ReactNode {
  if (text.startsWith("> ")) return <p className="note">{inline(text.slice(2), words)}</p>;
  if (!text.startsWith("1. ")) return <p>{inline(text, words)}</p>;
  const items = text.split(/^\d+\. /m).slice(1);
  const list = items.map((item) => <li key={item}>{inline(item.trim(), words)}</li>);
  return <ol className="lesson-list grid gap-half">{list}</ol>;
}

/** A text of one or more paragraphs. */
export function Prose({ text, words = {} }: { readonly text: string; readonly words?: Words }) {
  const blocks = text
    .replaceAll(/^ +/gm, "")
    .trim()
    .split(/\n{2,}/);
  return createElement(Fragment, null, ...blocks.map((part) => block(part, words)));
}
