// So few held-out problems that what they say may be chance: no curve of theirs tells learning from learning by heart.
import { sharesApart, shareText, signed } from "../../protocol/quantities.ts";
import { fewEvaluated } from "../accuracy.ts";
import { liftOf } from "../verdict/evaluations.ts";
import { endsOf, outerEvaluations } from "../verdict/history.ts";
import type { Diagnosis, RunEvidence } from "./diagnosis.ts";

const USUAL = 64;

/** What training and evaluation did meanwhile. */
function moves(run: RunEvidence): string {
  const outer = outerEvaluations(run.evaluations);
  const { first: from, final: to } = endsOf(run, "success_rate");
  const trained =
    from === null || to === null ? "" : ` In training ${shareText(from)} of the answers were right at first and ${shareText(to)} at last.`;
  if (!outer) return trained;
  const [first, last] = outer;
  const [low, high] = liftOf(first, last, "sampled").interval.map((value) => signed(String(Math.round(100 * value))));
  const apart = sharesApart(first.sampledAccuracy, last.sampledAccuracy);
  return `${trained} On held-out problems it went from ${apart.from} to ${apart.to}: a change of ${signed(String(apart.points))} points, which may be ${low} to ${high}.`;
}

export const evaluationTooSmall: Diagnosis = {
  id: "evaluation-too-small",
  title: "The evaluation is too small",
  explains:
    "Held-out problems show what was learnt beyond the training problems. With only a few of them, the share of right answers changes a lot by chance alone, so it shows neither progress nor loss.",
  hidesInProgress: true,
  needs: { metrics: [], evaluations: true, steps: 0 },
  find(run) {
    const last = run.evaluations.at(-1);
    const few = last && last.step > 0 ? fewEvaluated(last) : null;
    if (!last || few === null) return null;
    const { evalProblems } = run.config;
    // Fewer than were asked for: there are no more.
    const canAsk = evalProblems !== undefined && evalProblems <= last.problems;
    return {
      remedy: canAsk ? { settings: { evalProblems: USUAL } } : null,
      evidence: `${few}.${moves(run)}`,
      tries: [
        ...(canAsk ? [`${USUAL} held-out problems in an evaluation, less often where that takes too long.`] : []),
        "More problems, with a part of them held out.",
        "Several seeds, whose evaluations together say more.",
      ],
    };
  },
};
