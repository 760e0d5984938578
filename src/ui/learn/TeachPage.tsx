// For teachers: a lesson of 45 minutes, links that fix and hide controls, a figure for a slide, the answers as a file.
import { type RefObject, useEffect, useRef, useState } from "react";
import { FRAME_WIDTH, frameCode } from "../../export/page/embed.ts";
import { hashOf } from "../engine/route.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Choice } from "../kit/controls/Choice.tsx";
import { Toggle } from "../kit/controls/Slider.tsx";
import { Table } from "../kit/lists/Table.tsx";
import { EmbeddedFigure } from "./EmbedPage.tsx";
import { Controls } from "./lesson/Controls.tsx";
import { initialValues, type Lesson } from "./lesson/lesson.tsx";
import type { Values } from "./lesson/parts.ts";
import { lessons } from "./lessons/index.ts";

const PLAN: readonly { readonly minutes: string; readonly what: string }[] = [
  { minutes: "0–5", what: "Open the page on the projector and press Train. Ask: who told the model what is right? Nobody answers it yet." },
  { minutes: "5–12", what: "Lesson 1 together. Everybody says which digit will fall most before you lock one in; count hands for each." },
  {
    minutes: "12–20",
    what: "Lesson 3 in pairs, on their own machines. Collect on the board what they predicted for the right answer, then the reasons they were given.",
  },
  {
    minutes: "20–28",
    what: "Lesson 4 in pairs: every machine makes the run anew and gets the same dots. Why, if answers are drawn by chance?",
  },
  { minutes: "28–38", what: "One of lessons 5, 7 and 9, by interest. 9 needs the least mathematics and makes the best argument." },
  { minutes: "38–45", what: "Everybody saves the answers as a file. Discuss one transfer question that split the class." },
];

/** The address of a lesson or of its figure with values fixed and controls hidden. */
export function teacherLink(base: string, lesson: Lesson, values: Values, hidden: readonly string[], isFigure: boolean): string {
  const query = new URLSearchParams({ [isFigure ? "embed" : "lesson"]: lesson.id });
  for (const { id, initial } of lesson.controls) if (values[id] !== undefined && values[id] !== initial) query.set(id, String(values[id]));
  if (hidden.length > 0) query.set("hide", hidden.join(","));
  return isFigure ? `${base}?${query}` : `${base}${hashOf("learn", query)}`;
}

export function TeachPage() {
  return (
    <div className="learn-front teach w-full">
      <header>
        <p>
          <a href={hashOf("learn")}>All lessons</a>
        </p>
        <h1>A class of 45 minutes</h1>
        <p>
          For a group that knows gradients and softmax, and nothing of reinforcement learning. Each pair needs a browser; nothing is
          installed, and nothing leaves it.
        </p>
      </header>
      <Table className="teach-plan" frame={null} heads={["Minutes", "What happens"]}>
        {PLAN.map(({ minutes, what }) => (
          <tr key={minutes}>
            <th scope="row">{minutes}</th>
            <td>{what}</td>
          </tr>
        ))}
      </Table>
      <LinkMaker />
      <section className="teach-part grid justify-items-start gap-2">
        <h2>Collecting answers</h2>
        <p>
          On the list of lessons, <i>Save my answers</i> makes a file with what was predicted and answered, in words, and whether it was
          right. The file holds no name, so put the student's name into the file's name.
        </p>
      </section>
    </div>
  );
}

function LinkMaker() {
  const [id, setId] = useState(lessons[0]?.id ?? "");
  const lesson = lessons.find((each) => each.id === id);
  return (
    <section className="teach-part grid justify-items-start gap-2">
      <h2>A link for a lesson or a slide</h2>
      <p>Set the controls as the link should show them, and hide those that would distract.</p>
      <Choice label="Lesson" value={id} options={lessons.map((each) => ({ id: each.id, title: each.title }))} onChange={setId} />
      {lesson && <LinkOf key={lesson.id} lesson={lesson} />}
    </section>
  );
}

/** The height of what is shown as the frame will show it; null before it is there. */
function useHeight(shown: RefObject<HTMLElement | null>, isShown: boolean): number | null {
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    const { current } = shown;
    if (!isShown || !current) return;
    const observer = new ResizeObserver(() => setHeight(current.scrollHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [shown, isShown]);
  return isShown ? height : null;
}

function LinkOf({ lesson }: { readonly lesson: Lesson }) {
  const [values, setValues] = useState<Values>(() => initialValues(lesson));
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const [isFigure, setFigure] = useState(false);
  const base = `${window.location.origin}${window.location.pathname}`;
  const link = teacherLink(base, lesson, values, hidden, isFigure);
  const preview = useRef<HTMLDivElement>(null);
  const height = useHeight(preview, isFigure);
  const hide = (id: string, isHidden: boolean) => setHidden(isHidden ? [...hidden, id] : hidden.filter((each) => each !== id));
  return (
    <>
      <Controls controls={lesson.controls} values={values} onChange={(id, value) => setValues({ ...values, [id]: value })} />
      <div className="grid w-full">
        {lesson.controls.map(({ id, label }) => (
          <Toggle key={id} isSelected={hidden.includes(id)} onChange={(isHidden) => hide(id, isHidden)}>
            Hide “{label}”
          </Toggle>
        ))}
        <Toggle isSelected={isFigure} onChange={setFigure}>
          The figure alone, for a slide
        </Toggle>
      </div>
      <p>
        <a className="wrap-anywhere" href={link}>
          {link}
        </a>
      </p>
      <Button
        onPress={() => void navigator.clipboard?.writeText(height === null ? link : frameCode({ src: link }, lesson.figureTitle, height))}
      >
        {isFigure ? "Copy as a frame" : "Copy the link"}
      </Button>
      {isFigure && (
        <>
          <p className="note">As it stands in a frame{height === null ? "" : `, ${FRAME_WIDTH} by ${Math.ceil(height)}`}:</p>
          <div className="scrolls teach-preview w-full">
            <div className="embed grid content-start gap-1" ref={preview}>
              <EmbeddedFigure key={link} lesson={lesson} query={new URL(link).searchParams} />
            </div>
          </div>
        </>
      )}
    </>
  );
}
