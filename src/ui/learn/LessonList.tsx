// The front page of Learn: what there is, how long it takes, how far one is.
import { Check } from "lucide-react";
import { hashOf } from "../engine/route.ts";
import { Button } from "../kit/controls/Button.tsx";
import { saveFile } from "../kit/files.ts";
import { LessonPicture } from "./LessonPicture.tsx";
import { givenAnswers } from "./lesson/answers.ts";
import { lessons } from "./lessons/index.ts";
import { type LessonProgress, shareDone, useProgress } from "./progress.ts";

function saveAnswers(progress: Readonly<Record<string, LessonProgress>>): void {
  saveFile("answers.json", new Blob([JSON.stringify(givenAnswers(progress), null, 2)], { type: "application/json" }));
}

export function LessonList() {
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
        <a href={hashOf("learn", { page: "sheet" })}>All formulas on one sheet</a>
        <a href={hashOf("learn", { page: "teach" })}>For teachers</a>
        <Button onPress={() => saveAnswers(progress)}>Save my answers</Button>
      </p>
    </div>
  );
}
