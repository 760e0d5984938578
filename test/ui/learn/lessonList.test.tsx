// The front page of Learn as an address asks for it: the list alone, or with what it names and there is not.
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { LessonList } from "../../../src/ui/learn/LessonList.tsx";
import { lessons } from "../../../src/ui/learn/lessons/index.ts";

const shown = (lesson: string | null, page: string | null = null) => renderToStaticMarkup(<LessonList asked={{ lesson, page }} />);

it("the list has every lesson, says which one there is not, and offers the nearest", () => {
  const all = shown(null);
  for (const { id } of lessons) expect(all).toContain(`href="#/learn?lesson=${id}"`);
  expect(all).not.toContain("There is no");
  const [{ id, title }] = lessons as readonly [(typeof lessons)[number]];
  const missed = shown(id.slice(1));
  expect(missed).toContain(`There is no lesson “${id.slice(1)}” here.`);
  expect(missed).toContain(`Did you mean <a href="#/learn?lesson=${id}">${title}</a>?`);
  expect(shown(null, "shet")).toContain('There is no page “shet” here. Did you mean <a href="#/learn?page=sheet">');
});
