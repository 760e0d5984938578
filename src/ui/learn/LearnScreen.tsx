// The Learn screen: the list of lessons, the one that the address names, or a page beside them.
import { useMemo } from "react";
import { parseRoute, useHash } from "../route.ts";
import { fixedIn, hiddenIn } from "./address.ts";
import { LessonList } from "./LessonList.tsx";
import { LessonPage } from "./LessonPage.tsx";
import { LessonRail } from "./LessonRail.tsx";
import { lessons } from "./lessons/index.ts";
import { SheetPage } from "./SheetPage.tsx";
import { TeachPage } from "./TeachPage.tsx";
import "../controls/controls.css";
import "./learn.css";
import "./lesson.css";
import "./teach.css";
import "./figures/figures.css";

export function LearnScreen() {
  const hash = useHash();
  const { query } = useMemo(() => parseRoute(hash), [hash]);
  const index = lessons.findIndex(({ id }) => id === query.get("lesson"));
  const lesson = lessons[index];
  const fixed = useMemo(() => (lesson ? fixedIn(lesson, query) : {}), [lesson, query]);
  if (query.get("page") === "teach") return <TeachPage />;
  if (query.get("page") === "sheet") return <SheetPage />;
  if (!lesson) return <LessonList />;
  return (
    <LessonPage
      key={lesson.id}
      lesson={lesson}
      place={<LessonRail current={lesson.id} />}
      next={lessons[index + 1] ?? null}
      fixed={fixed}
      hidden={hiddenIn(query)}
    />
  );
}
