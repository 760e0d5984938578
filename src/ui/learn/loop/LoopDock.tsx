// Opens the readable loop beside a lesson: below its figure, and on a phone as a drawer from the lower edge. The
// source and what marks it load when it is first opened, into a place that is as high before as after.
import { ChevronUp } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";
import type { Lesson } from "../lesson/lesson.tsx";
import "./loop.css";

const LoopEssay = lazyPart(() => import("./LoopEssay.tsx"), "LoopEssay");

interface LoopDockProps {
  readonly lesson: Lesson;
  readonly phase: number;
  readonly values: Readonly<Record<string, string>>;
}

export function LoopDock({ lesson, phase, values }: LoopDockProps) {
  const [isOpen, setOpen] = useState(false);
  const dock = useRef<HTMLElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    toggle.current?.focus();
  };
  /** A drawer covers what comes after it, so it does not stay open when the focus goes there. */
  const leave = (to: EventTarget | null) => {
    const isDrawer = dock.current !== null && getComputedStyle(dock.current).position === "fixed";
    // A value stands in a layer of its own, outside the dock, and takes no focus.
    if (isDrawer && to instanceof Node && !dock.current?.contains(to)) setOpen(false);
  };
  return (
    <section
      className="loop-dock framed on-surface rounded"
      ref={dock}
      aria-label="The loop's source"
      data-open={isOpen || undefined}
      onKeyDown={(event) => {
        if (event.key === "Escape" && isOpen) close();
      }}
      onBlur={(event) => leave(event.relatedTarget)}
    >
      <Button
        ref={toggle}
        className="loop-toggle flex items-center w-full semibold"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      >
        <ChevronUp size={16} aria-hidden="true" /> {isOpen ? "Close the source" : "See the line that runs"}
      </Button>
      {isOpen && (
        <div className="loop-body flex rule-above">
          <FaultBoundary part="The source" isBrief>
            <Suspense fallback={<p className="loop-now small">Opening the source …</p>}>
              <LoopEssay phases={lesson.phases} phase={phase} values={values} />
            </Suspense>
          </FaultBoundary>
        </div>
      )}
    </section>
  );
}
