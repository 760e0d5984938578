// The Learn screen: the list of lessons, the one that the address names, or a page beside them.
import { useLayoutEffect, useMemo, useRef } from "react";
import { useHash } from "../engine/address/hash.ts";
import { parseRoute, placeIn } from "../engine/route.ts";
import { LessonList } from "./LessonList.tsx";
import { LessonPage } from "./lesson/LessonPage.tsx";
import { LessonRail } from "./lesson/LessonRail.tsx";
import { fixedIn } from "./lesson/lesson.tsx";
import { lessons } from "./lessons/index.ts";
import { SheetPage } from "./SheetPage.tsx";
import { TeachPage } from "./TeachPage.tsx";
import "./front.css";
import "./learn.css";
import "./lesson/lesson.css";
import "./teach.css";
import "./figures/figures.css";

export function LearnScreen() {
  const hash = useHash();
  const { query } = useMemo(() => parseRoute(hash), [hash]);
  const place = useMemo(() => placeIn("learn", query), [query]);
  const index = lessons.findIndex(({ id }) => id === place.lesson);
  const lesson = lessons[index];
  const fixed = useMemo(() => (lesson ? fixedIn(lesson, query) : {}), [lesson, query]);
  useTopOf(place.page ?? lesson?.id ?? "");
  if (place.page === "teach") return <TeachPage />;
  if (place.page === "sheet") return <SheetPage />;
  if (!lesson) return <LessonList asked={place} />;
  return (
    <LessonPage
      key={lesson.id}
      lesson={lesson}
      place={<LessonRail current={lesson.id} />}
      next={lessons[index + 1] ?? null}
      fixed={fixed}
      hidden={place.hide}
    />
  );
}

/** What takes the place of another is read from its top; what a reload brings back stays where the browser had it. */
function useTopOf(place: string): void {
  const before = useRef(place);
  useLayoutEffect(() => {
    if (before.current !== place) window.scrollTo(0, 0);
    before.current = place;
  }, [place]);
}
