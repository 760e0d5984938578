// A sheet to print, on one page: the objective as a whole, then every formula of the lessons with what its symbols stand for. On the
// screen it has the sentences and numbers of the reader's own runs too, where a lesson was begun.
import { useMemo } from "react";
import { hashOf } from "../engine/route.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Formula } from "../kit/formula/Formula.tsx";
import { SymbolScope } from "../kit/formula/symbolScope.tsx";
import { initialValues, type Lesson, shownValues } from "./lesson/lesson.tsx";
import { withoutLinks } from "./lesson/Prose.tsx";
import { useLessonRuns } from "./lesson/useLessonRuns.ts";
import { lessons } from "./lessons/index.ts";
import { useProgress } from "./progress.ts";

/** What a step climbs, and what its parts are. */
const WHOLE: readonly { readonly tex: string; readonly spoken: string }[] = [
  {
    tex: String.raw`J(\theta) = \mathbb{E}_{q,\; o_1 \ldots o_G \sim \pi_{\mathrm{old}}} \; \frac{1}{G} \sum_{i=1}^{G} \frac{1}{|o_i|} \sum_{t=1}^{|o_i|} \qquad \Big[ \min\big(\rho_{i,t}\,\hat{A}_i,\; \mathrm{clip}(\rho_{i,t},\, 1-\varepsilon,\, 1+\varepsilon)\,\hat{A}_i\big) - \beta\, \mathrm{D}_{i,t} \Big]`,
    spoken:
      "The expected mean over the answers of a group, and over the tokens of each answer, of the smaller of ratio times advantage and clipped ratio times advantage, less beta times the KL estimate to the reference.",
  },
  {
    tex: String.raw`\rho_{i,t} = \frac{\pi_\theta(o_{i,t})}{\pi_{\mathrm{old}}(o_{i,t})} \qquad \hat{A}_i = \frac{r_i - \mathrm{mean}(r_1 \ldots r_G)}{\mathrm{std}(r_1 \ldots r_G)} \qquad \mathrm{D}_{i,t} = \frac{\pi_{\mathrm{ref}}(o_{i,t})}{\pi_\theta(o_{i,t})} - \log \frac{\pi_{\mathrm{ref}}(o_{i,t})}{\pi_\theta(o_{i,t})} - 1`,
    spoken:
      "The ratio is the token's probability now over that when it was sampled. The advantage is the answer's reward less the group's mean, over the group's standard deviation. The KL estimate is the reference's probability over the policy's, less its logarithm, less one.",
  },
];

/** Whether any phase has a formula; none needs a run for it. */
function hasFormula(lesson: Lesson): boolean {
  return lesson.phases.some((_, phase) => lesson.open(shownValues(lesson, phase, initialValues(lesson)), []).phaseFormula(phase) !== null);
}

export function SheetPage() {
  return (
    <div className="learn-front sheet w-full">
      <header>
        <p className="sheet-tools flex items-center gap-2">
          <a href={hashOf("learn")}>All lessons</a>
          <Button onPress={() => window.print()}>Print</Button>
        </p>
        <h1>GRPO on one sheet</h1>
        <p className="sheet-tools note flex items-center gap-2">
          A lesson that you have begun stands here with its sentences and the numbers of your run.
        </p>
      </header>
      <section className="sheet-whole">
        <h2 className="large">The whole objective</h2>
        <SymbolScope>
          {WHOLE.map(({ tex, spoken }) => (
            <Formula key={tex} tex={tex} spoken={spoken} isBlock />
          ))}
        </SymbolScope>
        <p className="note">
          Every step climbs it for a batch of questions q, each with a group of G answers o that the policy before the step gave. Shao et
          al. 2024, DeepSeekMath, equations 1 to 4; the parts stand below, with where other algorithms depart from them.
        </p>
      </section>
      <div className="sheet-parts">
        {lessons.filter(hasFormula).map((lesson) => (
          <SymbolScope key={lesson.id}>
            <SheetPart lesson={lesson} />
          </SymbolScope>
        ))}
      </div>
    </div>
  );
}

function SheetPart({ lesson }: { readonly lesson: Lesson }) {
  const isBegun = useProgress(({ lessons: known }) => known[lesson.id]?.answer != null);
  return (
    <section className="sheet-part">
      <h2 className="large">{lesson.title}</h2>
      {lesson.phases.map(({ title }, phase) => (
        <SheetPhase key={title} lesson={lesson} phase={phase} isBegun={isBegun} />
      ))}
      <p className="note">{lesson.sources.map(withoutLinks).join("; ")}</p>
    </section>
  );
}

/** A phase with its formula; its sentences too, where the reader's run has their numbers. */
function SheetPhase({ lesson, phase, isBegun }: { readonly lesson: Lesson; readonly phase: number; readonly isBegun: boolean }) {
  const values = useMemo(() => shownValues(lesson, phase, initialValues(lesson)), [lesson, phase]);
  const { now, runs } = useLessonRuns(lesson, values, isBegun);
  const hasNumbers = isBegun && (!lesson.runs || runs.length > 0);
  const formula = now.phaseFormula(phase);
  if (!formula) return null;
  const symbols = Object.values(formula.symbols ?? {});
  return (
    <div>
      <Formula {...formula} isBlock />
      {hasNumbers && <div className="sheet-sentences">{now.phaseText(phase)}</div>}
      {symbols.length > 0 && <p className={hasNumbers ? "note sheet-printed" : "note"}>Here: {symbols.join("; ")}.</p>}
    </div>
  );
}
