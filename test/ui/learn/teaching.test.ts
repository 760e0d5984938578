// What teachers hand out and collect: links that fix and hide controls, and answers as a file.
import { describe, expect, it } from "vitest";
import { parseRoute, placeIn } from "../../../src/ui/engine/route.ts";
import { givenAnswers } from "../../../src/ui/learn/lesson/answers.ts";
import { fixedIn, initialValues, type Lesson } from "../../../src/ui/learn/lesson/lesson.tsx";
import { lessons } from "../../../src/ui/learn/lessons/index.ts";
import { stagesOf } from "../../../src/ui/learn/progress.ts";
import { teacherLink } from "../../../src/ui/learn/TeachPage.tsx";

const ratio = lessons.find(({ id }) => id === "ratio") as Lesson;
const HERE = "https://example.org/lab/";

describe("a teacher's link", () => {
  const values = { ...initialValues(ratio), clip: 0.1, passes: 4 };

  it("opens a lesson with its values fixed and its controls hidden", () => {
    const link = teacherLink(HERE, ratio, values, ["rate"], false);
    const { screen, query } = parseRoute(new URL(link).hash);
    expect([screen, query.get("lesson")]).toEqual(["learn", "ratio"]);
    expect(fixedIn(ratio, query)).toEqual({ clip: 0.1, passes: 4 });
    expect(placeIn("learn", query).hide).toEqual(["rate"]);
  });

  it("opens a figure by an address that a server sees", () => {
    const { searchParams, hash } = new URL(teacherLink(HERE, ratio, values, [], true));
    expect(hash).toBe("");
    expect(searchParams.get("embed")).toBe("ratio");
    expect(fixedIn(ratio, searchParams)).toEqual({ clip: 0.1, passes: 4 });
  });

  it("can ask for nothing that no control allows", () => {
    expect(fixedIn(ratio, new URLSearchParams("clip=7&passes=&rate=fast&unknown=1"))).toEqual({ clip: 0.5 });
    const dapo = lessons.find(({ id }) => id === "dapo") as Lesson;
    expect(fixedIn(dapo, new URLSearchParams("higher=9&refill=0.5"))).toEqual({ higher: 1 });
  });
});

describe("the file of answers", () => {
  it("has every lesson that was begun, in the words of its questions", () => {
    const end = stagesOf(ratio.phases.length).end;
    const file = givenAnswers({
      ratio: { stage: end, answer: 1, isRight: false, transfer: [0, 1] },
      kl: { stage: 0, answer: null, isRight: null, transfer: [] },
    });
    expect(file.lessons).toEqual([
      {
        id: "ratio",
        title: ratio.title,
        prediction: "None is clipped and the loss is 0, so nothing is learnt.",
        predictionRight: false,
        transfer: [
          { answer: ratio.transfer.options[0]?.text, right: false },
          { answer: ratio.transfer.options[1]?.text, right: true },
        ],
        finished: true,
      },
    ]);
  });
});
