// The rail above a lesson: every lesson as a segment that fills as it is done.
import { hashOf } from "../../engine/route.ts";
import { lessons } from "../lessons/index.ts";
import { shareDone, useProgress } from "../progress.ts";

export function LessonRail({ current }: { readonly current: string }) {
  const progress = useProgress((facts) => facts.lessons);
  const index = lessons.findIndex(({ id }) => id === current);
  return (
    <nav className="rail" aria-label="Lessons">
      <p className="rail-place flex flex-wrap soft small">
        <a href={hashOf("learn")}>All lessons</a>
        <span>
          Lesson {index + 1} of {lessons.length}, about {lessons[index]?.minutes} minutes
        </span>
      </p>
      <ol>
        {lessons.map((lesson, i) => {
          const share = shareDone(progress[lesson.id], lesson.phases.length);
          const done = share === 1 ? ", done" : share > 0 ? ", begun" : "";
          return (
            <li key={lesson.id}>
              <a
                href={hashOf("learn", { lesson: lesson.id })}
                title={lesson.title}
                aria-label={`Lesson ${i + 1}: ${lesson.title}${done}`}
                {...(lesson.id === current ? { "aria-current": "page" as const } : {})}
              >
                <span>{i + 1}</span>
                <span className="rail-bar">
                  <span style={{ inlineSize: `${share * 100}%` }} />
                </span>
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
