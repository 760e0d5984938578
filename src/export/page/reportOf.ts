// What the page of a run says: its verdict, its figures, its curves, and what it said first and last.

import { changedFields, valueNamed } from "../../protocol/config/configFacts.ts";
import { choiceTitle, fieldsLater } from "../../protocol/config/fields.ts";
import { runConfigSchema } from "../../protocol/config.ts";
import { isRecord } from "../../protocol/problems.ts";
import { capital, shareText } from "../../protocol/quantities.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { overUpdate } from "../../rl/metrics/lossMetrics.ts";
import { historyOf, type RunRecords } from "../../rl/verdict/history.ts";
import { judgeRun } from "../../rl/verdict.ts";
import { saidText, short, type WrittenRun } from "../writtenRun.ts";
import { type ReportCurve, type ReportSample, reportPage } from "./reportPage.ts";

const fields = fieldsLater(runConfigSchema);

/** A setting as people read it; an option of a task, whose fields are not known here, by its own name. */
function settingRow(name: string, value: unknown): readonly [name: string, value: string] {
  const field = fields().find(({ key }) => key === name);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (!field) return [name.replace(/^taskOptions\./, "task option "), text];
  if (field.kind === "flag") return [field.title, value === true ? "on" : "off"];
  return [field.title, field.kind === "choice" ? choiceTitle(field, text) : field.unit ? `${text} ${field.unit}` : text];
}

/** Conversations that the page shows of the first and of the last step, each about another problem. */
const SAMPLES = 3;
/** Metrics drawn where a run has them. */
const CURVES = [
  ["reward", "Reward"],
  ["loss", "Loss"],
  ["kl", "KL to reference, nats per token"],
  ["entropy", "Entropy, nats per token"],
  ["completions/mean_length", "Completion length, tokens"],
  ["grad_norm", "Gradient norm"],
] as const;
/** What accuracies are compared with. */
const LEVELS = { random: "random policy", start: "at the start" } as const;

/** What a conversation earned, and when. */
export function rewardText({
  step,
  success,
  reward,
}: {
  readonly step: number;
  /** Null where nobody knows. */
  readonly success: boolean | null;
  readonly reward: number | null;
}): string {
  const right = success === null ? "" : success ? "right, " : "wrong, ";
  return `step ${step}: ${right}reward ${short(reward)}`;
}

/** The first conversation about each of a few problems. */
function samplesOf(lines: readonly Readonly<Record<string, unknown>>[]): readonly ReportSample[] {
  const byProblem = new Map(lines.toReversed().map((line) => [line.exampleId, line]));
  return [...byProblem.values()].slice(-SAMPLES).map(({ messages, reward, success, step, prompt, member }) => ({
    place: { step: Number(step), prompt: Number(prompt) + 1, completion: Number(member) + 1 },
    verdict: rewardText({
      step: Number(step),
      success: typeof success === "boolean" ? success : null,
      reward: typeof reward === "number" ? reward : null,
    }),
    messages: (Array.isArray(messages) ? (messages as readonly MessageRecord[]) : []).map((message) => {
      const [role, content] = saidText(message);
      return { role, content };
    }),
  }));
}

/** The curves of a run that it has points of, its accuracy first. */
export function curvesOf({ evaluations, baselines, ...rest }: RunRecords): readonly ReportCurve[] {
  const history = historyOf({ evaluations, baselines, ...rest });
  const levels = baselines.map(({ kind, accuracy }) => [LEVELS[kind], accuracy] as const);
  const xs = evaluations.map(({ step }) => step);
  const accuracy = { title: "Accuracy, sampled", isShare: true, xs, ys: evaluations.map((each) => each.sampledAccuracy), levels };
  const curves = CURVES.map(([key, title]) => {
    const { steps, values } = history.metric(key);
    const said = [title, overUpdate(key, history.config)].filter(Boolean).join(", ");
    return { title: said, xs: Array.from(steps), ys: Array.from(values) };
  });
  return [accuracy, ...curves].filter(({ ys }) => ys.some(Number.isFinite));
}

interface SaidAtStep {
  readonly title: string;
  readonly conversations: readonly ReportSample[];
}

/** What it said at its first and at its last step that is written down. */
export function saidBy({ conversations }: Pick<WrittenRun, "conversations">): readonly SaidAtStep[] {
  const lines = (conversations ?? []).filter(isRecord);
  const inspected = [...new Set(lines.map(({ step }) => step))];
  return [...new Set([inspected[0], inspected.at(-1)])].flatMap((step, i) => {
    const said = samplesOf(lines.filter((line) => line.step === step));
    return said.length > 0 ? [{ title: i === 0 ? "What it said at first" : "What it said last", conversations: said }] : [];
  });
}

/** The run as one page of HTML. @param replay where its recording opens, from that page's own place. */
export function reportOf(run: WrittenRun, replay?: string): string {
  const { runId, subject, config, evaluations, baselines, steps } = run;
  const history = historyOf(run);
  const { verdict, sentence } = judgeRun(history);
  const last = evaluations.at(-1);
  return reportPage({
    title: subject,
    verdict: `${capital(verdict)}: ${sentence}`,
    facts: [
      ["run", runId],
      ["steps", String(steps.at(-1)?.step ?? 0)],
      // Evaluations are seldom: beside the steps a figure says how old it is.
      last
        ? [
            `accuracy at step ${last.step}`,
            `${shareText(last.sampledAccuracy)} sampled (${last.sampledInterval.map(shareText).join(" to ")}), ${shareText(last.greedyAccuracy)} greedy`,
          ]
        : ["accuracy", "not evaluated"],
      ...baselines.map(({ kind, accuracy: share }) => [LEVELS[kind], shareText(share)] as const),
      ["final reward", short(history.metric("reward").values[history.metric("reward").values.length - 1])],
      ["seed", String(config.seed)],
    ],
    curves: curvesOf(run),
    samples: saidBy(run),
    settings: changedFields(runConfigSchema.parse({}), config).map((name) => settingRow(name, valueNamed(config, name))),
    ...(replay === undefined ? {} : { replay }),
  });
}
