// One lesson: text at the left that grows stage by stage, its figure beside it (above it on a phone).
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { SymbolScope } from "../../kit/formula/symbolScope.tsx";
import { FigureFrame } from "../figures/Figure.tsx";
import { LoopDock } from "../loop/LoopDock.tsx";
import { NOT_BEGUN, setProgress, stagesOf, useProgress } from "../progress.ts";
import { initialValues, type Lesson, shownValues, withoutAnswers } from "./lesson.tsx";
import { EndPart, PhasePart, PlayPart, PredictionPart, TransferPart } from "./lessonParts.tsx";
import { Prose } from "./Prose.tsx";
import type { Values } from "./parts.ts";
import { useLessonRuns } from "./useLessonRuns.ts";

interface LessonPageProps {
  readonly lesson: Lesson;
  /** What stands above the title, such as the rail of lessons. */
  readonly place: ReactNode;
  /** The lesson after this one. */
  readonly next: Lesson | null;
  /** Values that a link fixes. */
  readonly fixed: Values;
  /** Controls that a link hides. */
  readonly hidden: readonly string[];
}

export function LessonPage({ lesson, place, next, fixed, hidden }: LessonPageProps) {
  const progress = useProgress((facts) => facts.lessons[lesson.id]) ?? NOT_BEGUN;
  const stages = stagesOf(lesson.phases.length);
  const stage = Math.min(progress.stage, stages.end);
  const base = useMemo(() => ({ ...initialValues(lesson), ...fixed }), [lesson, fixed]);
  const [played, setPlayed] = useState<Values | null>(null);
  const phase = Math.min(stage - 1, lesson.phases.length);
  const asked = useMemo(() => shownValues(lesson, -1, base), [lesson, base]);
  const values = useMemo(
    () => (stage >= stages.play ? (played ?? shownValues(lesson, phase, base)) : shownValues(lesson, phase, base)),
    [lesson, base, phase, played, stage, stages.play],
  );
  const mayRun = stage > stages.prediction;
  const predicted = useLessonRuns(lesson, asked, mayRun);
  const shown = useLessonRuns(lesson, values, mayRun);
  const { now } = shown;
  const isThere = !lesson.runs || predicted.runs.length > 0;
  const verdict = progress.answer !== null && isThere ? predicted.now.judge(progress.answer) : null;
  const isRight = verdict?.isRight ?? null;
  useEffect(() => {
    if (isRight !== null && progress.isRight !== isRight) setProgress(lesson.id, { isRight });
  }, [isRight, progress.isRight, lesson.id]);
  const setValue = (id: string, value: number) => setPlayed({ ...values, [id]: value });
  const goOn = () => setProgress(lesson.id, { stage: stage + 1 });
  const part = useNewPart(stage, progress.transfer.length);
  const controls = lesson.controls.filter(({ id }) => !hidden.includes(id));
  return (
    <SymbolScope>
      <article className="lesson grid w-full" ref={part} aria-labelledby="lesson-title">
        <header className="lesson-head grid content-start gap-2">
          {place}
          <h1 id="lesson-title">{lesson.title}</h1>
          <p className="lesson-question soft">{lesson.question}</p>
        </header>
        <div className="lesson-figure min-w-0">
          <div className="lesson-side flex gap-1">
            <FigureFrame
              title={lesson.figureTitle}
              help={lesson.figureHelp}
              table={mayRun ? now.table : withoutAnswers(lesson, now.table)}
              isBusy={shown.isBusy || predicted.isBusy}
              problem={shown.problem}
              onAgain={shown.again}
            >
              {now.figure({ phase, values, setValue })}
            </FigureFrame>
            <LoopDock lesson={lesson} phase={phase} values={isThere && !shown.isBusy ? now.inLoop : {}} />
          </div>
        </div>
        <div className="lesson-text min-w-0">
          <div>
            <Prose text={lesson.intro} />
          </div>
          <PredictionPart lesson={lesson} progress={progress} verdict={verdict} isWaiting={mayRun && !isThere} />
          {lesson.phases.slice(0, stage).map(({ title }, i) => (
            <PhasePart key={title} lesson={lesson} index={i} base={base} {...(stage === i + 1 ? { onNext: goOn } : {})} />
          ))}
          {stage >= stages.play && (
            <PlayPart
              lesson={lesson}
              stage={stages.play}
              controls={controls}
              values={values}
              onChange={setValue}
              {...(stage === stages.play ? { onNext: goOn } : {})}
            />
          )}
          {stage >= stages.transfer && (
            <TransferPart lesson={lesson} stage={stages.transfer} tried={progress.transfer} isOver={stage >= stages.end} />
          )}
          {stage >= stages.end && (
            <EndPart lesson={lesson} stage={stages.end} next={next} values={values} onAgain={() => setPlayed(null)} />
          )}
        </div>
      </article>
    </SymbolScope>
  );
}

/**
 * Moves the focus to the heading of a part that has just been opened, so that keyboard and reader go on there, and brings what an
 * answer is told into view. @param tried answers to the last question so far.
 */
function useNewPart(stage: number, tried: number) {
  const article = useRef<HTMLElement>(null);
  const before = useRef(stage);
  useEffect(() => {
    if (stage === before.current) return;
    const isLater = stage > before.current;
    before.current = stage;
    const heading = article.current?.querySelector<HTMLElement>(isLater ? `[data-stage="${stage}"] h2` : "h1");
    heading?.focus({ preventScroll: true });
    // What an answer is told is read before what it opens.
    const outcome = isLater ? article.current?.querySelector(`[data-stage="${stage - 1}"] .lesson-outcome`) : null;
    (outcome ?? heading)?.scrollIntoView({ block: "start" });
  }, [stage]);
  const triedBefore = useRef(tried);
  useEffect(() => {
    const isMore = tried > triedBefore.current;
    triedBefore.current = tried;
    if (isMore)
      Array.from(article.current?.querySelectorAll(".lesson-verdict") ?? [])
        .at(-1)
        ?.scrollIntoView({ block: "nearest" });
  }, [tried]);
  return article;
}
