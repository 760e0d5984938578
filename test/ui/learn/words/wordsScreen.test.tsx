// The screen Words as an address asks for it: all words, some, one, or one that there is not.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { GLOSSARY } from "../../../../src/ui/kit/words/glossary.ts";
import { Words } from "../../../../src/ui/learn/words/WordsScreen.tsx";

const shown = (find: string | null, word: string | null = null) => renderToStaticMarkup(<Words find={find} word={word} />);

describe("the screen of words", () => {
  it("has every word once, with its meaning, the lesson about it and an example to try", () => {
    const all = shown(null);
    expect(all.match(/<article/g)).toHaveLength(GLOSSARY.length);
    expect(all).toContain(`${GLOSSARY.length} words`);
    for (const { id } of GLOSSARY) expect(all).toContain(`href="#/words?word=${id}"`);
    expect(all).toContain('href="#/learn?lesson=what-the-kl-is-for"');
    expect(all).toContain("Try it: pass@k");
  });

  it("shows what is searched for, marks a word that is named, and offers the nearest for one that there is not", () => {
    expect(shown("kullback")).toContain("1 word with “kullback”");
    expect(shown("zzz")).toContain("0 words with “zzz”");
    expect(shown(null, "kl").match(/data-linked/g)).toHaveLength(1);
    const missed = shown(null, "advantge");
    expect(missed).toContain("There is no word “advantge” here.");
    expect(missed).toContain('Did you mean <a href="#/words?word=advantage">');
  });
});
