// The front page of Learn: what there is, how long it takes, how far one is.
import { Check } from "lucide-react";
import { hashOf, type Place } from "../engine/route.ts";
import { Button } from "../kit/controls/Button.tsx";
import { NotThereLine } from "../kit/controls/NotThere.tsx";
import { saveFile } from "../kit/files.ts";
import { LessonPicture } from "./LessonPicture.tsx";
import { givenAnswers } from "./lesson/answers.ts";
import { lessons } from "./lessons/index.ts";
import { type LessonProgress, shareDone, useProgress } from "./progress.ts";

function saveAnswers(progress: Readonly<Record<string, LessonProgress>>): void {
  saveFile("answers.json", new Blob([JSON.stringify(givenAnswers(progress), null, 2)], { type: "application/json" }));
}

const LESSONS = lessons.map(({ id, title }) => ({ id, title, href: hashOf("learn", { lesson: id }) }));
const PAGES = [
  { id: "sheet", title: "All formulas on one sheet", href: hashOf("learn", { page: "sheet" }) },
  { id: "teach", title: "For teachers", href: hashOf("learn", { page: "teach" }) },
];

/** @param asked what the address names, of which there may be none */
export function LessonList({ asked }: { readonly asked: Pick<Place<"learn">, "lesson" | "page"> }) {
  const progress = useProgress((facts) => facts.lessons);
  const minutes = lessons.reduce((sum, lesson) => sum + lesson.minutes, 0);
  return (
    <div className="learn-front w-full">
      <header>
        <h1>Learn GRPO on the engine itself</h1>
        <p>
          {lessons.length} short lessons, {minutes} minutes in all. Each asks a question, takes your prediction, and then lets the trainer
          of this page answer it, one phase at a time. Every number comes from the functions that train on the other screens. You should
          know what a probability and a gradient are; nothing of reinforcement learning is assumed.
        </p>
        <NotThereLine kind="lesson" name={asked.lesson} known={LESSONS} />
        <NotThereLine kind="page" name={asked.page} known={PAGES} />
      </header>
      <ol className="learn-list grid">
        {lessons.map((lesson, i) => {
          const { id, title, question, phases, minutes } = lesson;
          const share = shareDone(progress[id], phases.length);
          return (
            <li key={id}>
              <a href={hashOf("learn", { lesson: id })}>
                <LessonPicture lesson={lesson} />
                <span className="learn-number" aria-hidden="true">
                  {i + 1}
                </span>
                <span className="learn-title large semibold">{title}</span>
                <span className="learn-question soft">{question}</span>
                <span className="learn-state flex items-center gap-half soft small">
                  {share === 1 ? (
                    <>
                      <Check size={14} aria-hidden="true" /> done
                    </>
                  ) : share > 0 ? (
                    "go on"
                  ) : (
                    `${minutes} min`
                  )}
                </span>
              </a>
            </li>
          );
        })}
      </ol>
      <p className="learn-more flex flex-wrap">
        <a href={hashOf("words")}>All words, explained</a>
        {PAGES.map(({ id, title, href }) => (
          <a key={id} href={href}>
            {title}
          </a>
        ))}
        <Button onPress={() => saveAnswers(progress)}>Save my answers</Button>
      </p>
    </div>
  );
}
