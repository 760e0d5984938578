// The readable loop with the lines marked that run in the lesson's present phase. Names on those lines tell, on hover,
// focus and tap, what they stand for in the reader's own figure.
import { useLayoutEffect, useRef } from "react";
import { Explained } from "../../kit/words/Term.tsx";
import type { Phase } from "../lesson/parts.ts";
import { LOOP_LINES, linesAt, piecesOfLine } from "./source.ts";

interface LoopEssayProps {
  /** The lesson's. */
  readonly phases: readonly Pick<Phase, "title" | "loop">[];
  /** Below 0 before the prediction; as many as there are phases in free play, which all of them belong to. */
  readonly phase: number;
  /** What the names stand for; empty while a run is on its way. */
  readonly values: Readonly<Record<string, string>>;
}

/** Lines in words, as the file counts them, and what they do. */
function linesText(lines: readonly number[], one: string, several: string): string {
  const numbers = lines.map((line) => String(line + 1));
  return numbers.length === 1 ? `Line ${numbers[0]} ${one}` : `Lines ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)} ${several}`;
}

const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);

export function LoopEssay({ phases, phase, values }: LoopEssayProps) {
  const title = phases[phase]?.title;
  const shown = phase < 0 ? [] : title === undefined ? phases : phases.slice(phase, phase + 1);
  const present = shown.map(({ loop }) => loop);
  const lines = [...new Set(linesAt(present.flatMap(({ at }) => at)))];
  const first = lines[0] ?? 0;
  const scroll = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const line = scroll.current?.querySelectorAll<HTMLElement>(".loop-line")[first];
    if (scroll.current && line) scroll.current.scrollTop = first === 0 ? 0 : line.offsetTop - scroll.current.clientHeight / 4;
  }, [first]);
  const isRun = !present.some(({ isInstead }) => isInstead);
  const says = isRun ? linesText(lines, "runs", "run") : linesText(lines, "has its place", "have their place");
  const note = title === undefined ? undefined : present[0]?.note;
  return (
    <>
      <p className="loop-now small" role="status">
        {phase < 0 ? (
          "The lines that run are marked once you have locked in your prediction."
        ) : (
          <>
            <b>{says}</b> in {title === undefined ? "the phases of this lesson" : `“${title}”`}. Underlined names have the numbers of your
            figure. {note}
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard */}
      <section className="loop-source relative sunken rule-above" ref={scroll} aria-label="src/train/grpo.ts" tabIndex={0}>
        <pre>
          <code>
            {LOOP_LINES.map((line, i) => {
              const indent = line.length - line.trimStart().length;
              const isNow = lines.includes(i);
              return (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names and never move
                  key={i}
                  className="loop-line block relative wrap-anywhere keeps-lines"
                  data-now={isNow || undefined}
                  data-comment={isComment(line) || undefined}
                  style={{ paddingInlineStart: `${indent + 6}ch`, textIndent: `-${indent + 2}ch` }}
                >
                  {isNow
                    ? // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line, told apart by their place
                      piecesOfLine(line, values).map((part, p) => <Part key={p} {...part} />)
                    : line}
                  {"\n"}
                </span>
              );
            })}
          </code>
        </pre>
      </section>
    </>
  );
}

function Part({ text, value }: { readonly text: string; readonly value?: string }) {
  if (value === undefined) return text;
  return <Explained text={`${text}: ${value}`}>{text}</Explained>;
}
