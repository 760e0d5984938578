// The card of a recording (src/ui/runs/replay/examples.ts): numbers of its records as they are, and of some kept steps the question whose
// answers are most like those of the whole step, among the questions that have right and wrong ones: only there is anything to compare.
import type { GroupRecord, StepRecord, TrajectoryRecord } from "../../src/protocol/records.ts";
import { readGroups } from "../../src/train/save/kept/groupFile.ts";
import type { SavedState } from "../../src/train/save/savedState.ts";
import type { CardMoment, ExampleCard } from "../../src/ui/runs/replay/examples.ts";

const MOMENTS = 7;
/** Letters of an answer: eight of them stand beside each other on a phone. */
const LONGEST_ANSWER = 4;

/** Six digits are more than a picture shows. */
const rounded = (value: number | null | undefined) => Number((value ?? 0).toPrecision(6));

const saidIn = ({ text }: TrajectoryRecord) => text.replace(/<\|im_end\|>$/, "").replace(/^\\boxed\{(.*)\}$/, "$1");

const answerOf = (trajectory: TrajectoryRecord) => ({
  said: saidIn(trajectory),
  isRight: trajectory.success === true,
  advantage: rounded(trajectory.advantage),
});

const shareRight = ({ trajectories }: GroupRecord) => trajectories.filter(({ success }) => success).length / trajectories.length;

function isShown(group: GroupRecord): boolean {
  const share = shareRight(group);
  return share > 0 && share < 1 && group.trajectories.every((each) => saidIn(each).length <= LONGEST_ANSWER);
}

function momentOf({ step, messages, trajectories }: GroupRecord): CardMoment {
  const question = messages.findLast(({ role }) => role === "user") ?? messages.at(-1);
  return { step, question: question?.content ?? "", answers: trajectories.map(answerOf) };
}

/** The group whose share of right answers is nearest to a share; the first of several. */
function nearestTo(share: number, groups: readonly GroupRecord[]): GroupRecord | undefined {
  const away = (group: GroupRecord) => Math.abs(shareRight(group) - share);
  return groups
    .filter(isShown)
    .reduce<GroupRecord | undefined>((best, each) => (best && away(best) <= away(each) ? best : each), undefined);
}

const pointOf = ({ step, metrics }: StepRecord) => [step, rounded(metrics.success_rate)] as const;

/** The card of a recording. */
export async function cardOf({ config, steps, kept }: SavedState): Promise<ExampleCard> {
  const last = steps.at(-1)?.step ?? 0;
  const places = Array.from({ length: MOMENTS }, (_, i) => 1 + (i / (MOMENTS - 1)) * (last - 1));
  const chosen = new Set(places.map((place) => kept.toSorted((a, b) => Math.abs(a.step - place) - Math.abs(b.step - place))[0]!));
  const curve = steps.map(pointOf);
  const moments: CardMoment[] = [];
  for (const { step, file } of chosen) {
    const { groups } = await readGroups(file, step, config);
    const right = curve.find(([at]) => at === step)?.[1] ?? 0;
    const group = nearestTo(right, groups);
    if (group) moments.push(momentOf(group));
  }
  return { steps: last, curve, moments };
}
