// The run as one page of HTML.

import { type ReportSample, reportPage } from "../../export/report.ts";
import { changedFields } from "../../protocol/config/configFacts.ts";
import { runConfigSchema } from "../../protocol/config.ts";
import { isRecord } from "../../protocol/problems.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { judgeRun } from "../../rl/verdict.ts";
import { historyOf, readConversations, readRecords } from "../folder/recordedRun.ts";
import { percent, saidText, short } from "../lab/texts.ts";
import { type Exporter, settingOf, textFile } from "./exporter.ts";

/** Conversations that the page shows of the first and of the last step, each about another problem. */
const SAMPLES = 3;
/** Metrics drawn where a run has them. */
const CURVES = ["reward", "loss", "kl", "entropy", "completions/mean_length", "grad_norm"] as const;

/** The first conversation about each of a few problems. */
function samplesOf(lines: readonly Readonly<Record<string, unknown>>[]): readonly ReportSample[] {
  const byProblem = new Map(lines.toReversed().map((line) => [line.exampleId, line]));
  return [...byProblem.values()].slice(-SAMPLES).map(({ messages, reward, success, step }) => ({
    verdict: `step ${String(step)}: ${success ? "right" : "wrong"}, reward ${short(typeof reward === "number" ? reward : null)}`,
    messages: (Array.isArray(messages) ? (messages as readonly MessageRecord[]) : []).map((message) => {
      const [role, content] = saidText(message);
      return { role, content };
    }),
  }));
}

export const page: Exporter = {
  name: "report",
  help: "report.html, one page with curves, settings and samples",
  async files({ folder }) {
    const recorded = await readRecords(folder);
    const { config, evaluations, baselines, steps } = recorded;
    const history = historyOf(recorded);
    const { verdict, sentence } = judgeRun(history);
    const last = evaluations.at(-1);
    const levels = baselines.map(({ kind, accuracy }) => [kind, accuracy] as const);
    const curves = CURVES.map((key) => {
      const { steps: xs, values } = history.metric(key);
      return { title: key, xs: Array.from(xs), ys: Array.from(values) };
    });
    const accuracy = {
      title: "accuracy, sampled",
      xs: evaluations.map(({ step }) => step),
      ys: evaluations.map((each) => each.sampledAccuracy),
      levels,
    };
    const lines = (await readConversations(folder)).filter(isRecord);
    const inspected = [...new Set(lines.map(({ step }) => step))];
    const samples = [...new Set([inspected[0], inspected.at(-1)])].flatMap((step, i) => {
      const conversations = samplesOf(lines.filter((line) => line.step === step));
      return conversations.length > 0 ? [{ title: i === 0 ? "What it said at first" : "What it said last", conversations }] : [];
    });
    const html = reportPage({
      title: `${folder.runId}: ${config.task}, ${config.kind === "supervised" ? "supervised" : config.algorithm}`,
      verdict: `${verdict}: ${sentence}`,
      facts: [
        ["steps", String(steps.at(-1)?.step ?? 0)],
        [
          "accuracy",
          last
            ? `${percent(last.sampledAccuracy)} sampled (${last.sampledInterval.map(percent).join(" to ")}), ${percent(last.greedyAccuracy)} greedy`
            : "not evaluated",
        ],
        ...baselines.map(({ kind, accuracy: share }) => [kind, percent(share)] as const),
        ["final reward", short(history.metric("reward").values[history.metric("reward").values.length - 1])],
        ["seed", String(config.seed)],
      ],
      curves: [accuracy, ...curves],
      samples,
      settings: changedFields(runConfigSchema.parse({}), config).map((name) => [name, JSON.stringify(settingOf(config, name))]),
    });
    return [textFile("report.html", html)];
  },
};
