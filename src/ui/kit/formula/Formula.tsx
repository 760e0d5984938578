// A typeset formula: MathML, so that the browser draws it as text of the page and nothing moves later.
// Parts written \sym{name}{...} carry a name; while the pointer or the focus is on one, every part and every
// SymbolNumber of the same name in the SymbolScope is marked. A reader of the screen hears the spoken text.
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { symbolProps, useSymbolFocus } from "./symbolScope.tsx";
import { elementsOf, parseFormula } from "./typeset.ts";
import "./formula.css";

export interface FormulaProps {
  readonly tex: string;
  /** The formula as one would read it aloud. */
  readonly spoken: string;
  /** What the named symbols stand for, by name, with the number where there is one: "advantage, +2.646". */
  readonly symbols?: Readonly<Record<string, string>>;
  /**
   * On a line of its own: parts between \qquad or \allowbreak go below each other where there is no room, and what is
   * still wider scrolls.
   */
  readonly isBlock?: boolean;
}

/** Where a formula may go on below. */
const BREAKS = /\\qquad|\\allowbreak/g;

export function Formula({ tex, spoken, symbols = {}, isBlock = false }: FormulaProps) {
  const trees = useMemo(() => (isBlock ? tex.split(BREAKS) : [tex]).map((part) => parseFormula(part, isBlock)), [tex, isBlock]);
  const apart = isBlock ? Array.from(tex.matchAll(BREAKS), ([by]) => by === "\\qquad") : [];
  const focus = useSymbolFocus();
  const seen = new Set<string>();
  const math = trees.map((tree, place) =>
    elementsOf(
      tree,
      { key: place, "aria-label": place === 0 ? spoken : "continued", "data-apart": apart[place] || undefined },
      (name, isFirst) => {
        const text = symbols[name];
        if (text === undefined) return symbolProps(focus, name);
        const isReached = isFirst && !seen.has(name);
        seen.add(name);
        return { ...symbolProps(focus, name), ...(isReached ? { tabIndex: 0, role: "note", "aria-label": text } : {}) };
      },
    ),
  );
  return isBlock ? <FormulaBlock>{math}</FormulaBlock> : <span className="formula">{math}</span>;
}

/** A line for one formula. Where the formula is wider it scrolls, for the keyboard too. */
function FormulaBlock({ children }: { readonly children: ReactNode }) {
  const line = useRef<HTMLDivElement>(null);
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    const element = line.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setIsWide(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    // Other numbers make another formula of another width on the same line.
    for (const part of element.children) observer.observe(part);
    return () => observer.disconnect();
  }, []);
  const scrolled = isWide ? { tabIndex: 0, role: "group", "aria-label": "Formula that scrolls sideways" } : {};
  return (
    <>
      <div className="formula formula-block flex flex-wrap items-baseline" ref={line} {...scrolled}>
        {children}
      </div>
      {isWide && (
        <p className="formula-more aside" aria-hidden="true">
          scrolls sideways →
        </p>
      )}
    </>
  );
}
