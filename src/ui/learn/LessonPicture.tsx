// A lesson's own figure, small, as its picture in the list: drawn from the same state as in the lesson, without what
// needs a run of the engine.
import { memo, useDeferredValue } from "react";
import { Figure } from "./figures/Figure.tsx";
import { initialValues, type Lesson, shownValues } from "./lesson/lesson.tsx";

const still = () => {};

function Drawing({ lesson }: { readonly lesson: Lesson }) {
  const phase = lesson.phases.length - 1;
  const values = shownValues(lesson, phase, initialValues(lesson));
  return (
    <div className="learn-drawing grid gap-2">
      {lesson.picture ? (
        <Figure marks={lesson.picture} words={values} setValue={still} />
      ) : (
        lesson.open(values, []).figure({ phase, values, setValue: still })
      )}
    </div>
  );
}

/** It comes after the list that it stands in: some take a while to compute. */
export const LessonPicture = memo(function LessonPicture({ lesson }: { readonly lesson: Lesson }) {
  const isDrawn = useDeferredValue(true, false);
  return (
    <span className="learn-picture block col-span-full framed on-surface rounded padded" aria-hidden="true" inert>
      {isDrawn && <Drawing lesson={lesson} />}
    </span>
  );
});
