// The card of a recording (src/ui/runs/replay/examples.ts): numbers of its records as they are, and of some kept steps the first question
// with its first answers, whichever they are.
import { saidText } from "../../src/export/writtenRun.ts";
import type { GroupRecord, MessageRecord, StepRecord, TrajectoryRecord } from "../../src/protocol/records.ts";
import { thinnedIndices } from "../../src/protocol/records.ts";
import { readGroups } from "../../src/train/save/kept/groupFile.ts";
import type { SavedState } from "../../src/train/save/savedState.ts";
import type { CardMoment, ExampleCard } from "../../src/ui/runs/replay/examples.ts";

const MOMENTS = 10;
const ANSWERS = 4;
const [LONGEST_QUESTION, LONGEST_ANSWER] = [180, 160];

const cut = (text: string, most: number) => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};

function said(message: MessageRecord): string {
  const { role, content, toolCalls = [] } = message;
  if (role === "tool") return `→ ${content}`;
  const calls = toolCalls.map(({ name, arguments: given }) => `${name}(${Object.values(given).map(String).join(", ")})`);
  return calls.length > 0 ? calls.join(" ") : saidText(message)[1];
}

const answerOf = ({ messages, text, success }: TrajectoryRecord) => ({
  said: cut(messages.length > 0 ? messages.map(said).join(" ") : text, LONGEST_ANSWER),
  isRight: success,
});

function momentOf({ step, messages, trajectories }: GroupRecord): CardMoment {
  const question = messages.findLast(({ role }) => role === "user") ?? messages.at(-1);
  return { step, question: cut(question?.content ?? "", LONGEST_QUESTION), answers: trajectories.slice(0, ANSWERS).map(answerOf) };
}

/** Six digits are more than a picture shows. */
const rounded = (value: number | undefined) => Number((value ?? 0).toPrecision(6));
const pointOf = ({ step, metrics }: StepRecord) => [step, rounded(metrics.success_rate), rounded(metrics.reward)] as const;

/** The card of a recording. */
export async function cardOf({ config, steps, kept }: SavedState): Promise<ExampleCard> {
  const chosen =
    thinnedIndices(
      kept.map((each) => each.step),
      MOMENTS,
    )?.map((i) => kept[i]!) ?? kept;
  const moments: CardMoment[] = [];
  for (const { step, file } of chosen) {
    const { groups } = await readGroups(file, step, config);
    if (groups[0]) moments.push(momentOf(groups[0]));
  }
  return { steps: steps.at(-1)?.step ?? 0, curve: steps.map(pointOf), moments };
}
