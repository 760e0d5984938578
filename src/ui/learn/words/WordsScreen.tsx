// The screen Words: all words of the registry with what they mean, an example to try where there is one, and the lesson about them.
// An address names a word or what is searched for.
import { useEffect, useMemo, useRef } from "react";
import { Input, Label, SearchField } from "react-aria-components";
import { counted } from "../../../protocol/quantities.ts";
import { useHash } from "../../engine/address/hash.ts";
import { hashOf, type Place, parseRoute, placeIn, replaceQuery } from "../../engine/route.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { NotThere } from "../../kit/controls/NotThere.tsx";
import { WORD_EXAMPLES } from "../../kit/words/examples.ts";
import { foundTerm, GLOSSARY, GLOSSARY_GROUPS, type TermId } from "../../kit/words/glossary.ts";
import type { GlossaryTerm } from "../../kit/words/terms/tokenTerms.ts";
import { WordText } from "../../kit/words/WordCard.tsx";
import { WordExample } from "../../kit/words/WordExample.tsx";
import "../front.css";
import "./words.css";

export function WordsScreen() {
  const hash = useHash();
  const place = useMemo(() => placeIn("words", parseRoute(hash).query), [hash]);
  return <Words {...place} />;
}

export function Words({ word, find }: Place<"words">) {
  const groups = GLOSSARY_GROUPS.map(({ title, terms }) => ({ title, terms: terms.filter((term) => foundTerm(term, find ?? "")) }));
  const count = groups.reduce((sum, { terms }) => sum + terms.length, 0);
  return (
    <div className="learn-front words w-full">
      <header>
        <p>
          <a href={hashOf("learn")}>All lessons</a>
        </p>
        <h1>All words</h1>
        <p>What the words of this page mean. You can also point at most words where you meet them, or press them, to read the same.</p>
      </header>
      <SearchField
        className="field words-search"
        value={find ?? ""}
        onChange={(typed) => replaceQuery("words", { find: typed === "" ? null : typed })}
      >
        <Label className="field-label">Search the words</Label>
        <Input className="input field-box flex items-center min-w-0 ink rounded" />
      </SearchField>
      <p className="note" role="status">
        <NotThere kind="word" name={word} known={WORDS} />
        {find === null ? counted(count, "word") : `${counted(count, "word")} with “${find}”`}
      </p>
      {groups
        .filter(({ terms }) => terms.length > 0)
        .map(({ title, terms }) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            {terms.map((term) => (
              <Entry key={term.id} term={term} isLinked={term.id === word} />
            ))}
          </section>
        ))}
    </div>
  );
}

const WORDS = GLOSSARY.map(({ id, term }) => ({ id, title: term, href: hashOf("words", { word: id }) }));

/** A word that an address names is brought into sight, and the keyboard goes on from it. */
function Entry({ term, isLinked }: { readonly term: GlossaryTerm & { readonly id: TermId }; readonly isLinked: boolean }) {
  const name = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!isLinked) return;
    name.current?.focus({ preventScroll: true });
    name.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  return (
    <article className="words-entry grid rule-above" data-linked={isLinked || undefined}>
      <h3>
        <a ref={name} href={hashOf("words", { word: term.id })}>
          {term.term}
        </a>
      </h3>
      <div className="stack">
        <WordText {...term} />
        {WORD_EXAMPLES[term.id] && (
          <Fold title={`Try it: ${term.term}`}>
            <WordExample id={term.id} />
          </Fold>
        )}
      </div>
    </article>
  );
}
