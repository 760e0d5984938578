// Formulas are elements of the page: no markup from text, every name reachable, a spoken text for each.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Formula } from "../../../../src/ui/kit/formula/Formula.tsx";
import { namesIn, parseFormula } from "../../../../src/ui/kit/formula/typeset.ts";

const tex = String.raw`\sym{advantage}{\hat A_i} = \frac{\sym{reward}{r_i} - \operatorname{mean}(\sym{reward}{r})}{\operatorname{std}(r)}`;

describe("a formula", () => {
  it("is MathML with a spoken text", () => {
    const html = renderToStaticMarkup(<Formula tex="x^2" spoken="x squared" />);
    expect(html).toContain("<msup><mi>x</mi>");
    expect(html).toContain('aria-label="x squared"');
  });

  it("lets its parts be named, each name once reachable by the keyboard", () => {
    const html = renderToStaticMarkup(
      <Formula tex={tex} spoken="the advantage" isBlock symbols={{ advantage: "advantage, +2.646", reward: "reward" }} />,
    );
    expect(namesIn(parseFormula(tex, true))).toEqual(["advantage", "reward"]);
    expect(html.match(/data-symbol="reward"/g)).toHaveLength(2);
    expect(html.match(/tabindex="0"/gi)).toHaveLength(2);
    expect(html).toContain('aria-label="advantage, +2.646"');
  });

  it("is in parts that may go below each other, each name still reachable once", () => {
    const two = String.raw`\sym{a}{a} = 1, \qquad \sym{a}{a} + \sym{b}{b}`;
    const html = renderToStaticMarkup(<Formula tex={two} spoken="a is one" isBlock symbols={{ a: "first", b: "second" }} />);
    expect(html.match(/<math/g)).toHaveLength(2);
    expect(html.match(/aria-label="a is one"/g)).toHaveLength(1);
    expect(html.match(/tabindex="0"/gi)).toHaveLength(2);
  });

  it("refuses TeX that is wrong instead of drawing it", () => {
    expect(() => parseFormula(String.raw`\frac{1`, false)).toThrow();
    expect(() => parseFormula(String.raw`\nothing`, false)).toThrow();
  });
});
