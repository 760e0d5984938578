// The bench of a judge: typed answers with its verdicts, the probabilities they were read from, the prompt as it was read,
// and what that cost. Nothing is asked before somebody asks, since a model has to be opened for it.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { JudgedAnswer } from "../../../../protocol/config/customRewards.ts";
import type { RunConfig } from "../../../../protocol/config.ts";
import type { JudgeCost, TriedVerdict } from "../../../../protocol/custom/judges.ts";
import { bytesText } from "../../../../protocol/memory.ts";
import { counted, measureText, shareText } from "../../../../protocol/quantities.ts";
import { engine } from "../../../engine/client.ts";
import { useQuestion } from "../../../engine/store/useQuestion.ts";
import { formatNumber } from "../../../kit/charts/format.ts";
import { Button, RemoveButton } from "../../../kit/controls/Button.tsx";
import { TextInput } from "../../../kit/controls/TextInput.tsx";
import { useDraftView } from "../../form/draftView.ts";
import { RolloutsBench } from "../reward/bench/RolloutsBench.tsx";

const FIRST: readonly JudgedAnswer[] = [
  { question: "What is 3 + 4?", answer: "7", text: "\\boxed{7}" },
  { question: "What is 3 + 4?", answer: "7", text: "\\boxed{8}" },
];

/** Below this the judge mostly wants to say something else. */
const LOW_SHARE = 0.1;

interface Found {
  readonly about: string;
  readonly verdicts: readonly TriedVerdict[];
  readonly cost: JudgeCost;
  readonly bytes: number | null;
}

function Odds({ odds }: { readonly odds: Readonly<Record<string, number>> }) {
  return (
    <dl className="judge-odds" aria-label="Probabilities over the scale">
      {Object.entries(odds).map(([answer, share]) => (
        <div key={answer}>
          <dt className="mono">{answer}</dt>
          <dd>
            <span className="judge-bar" style={{ inlineSize: `${Math.round(100 * share)}%` }} aria-hidden="true" />
            {shareText(share)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Verdict({ verdict }: { readonly verdict: TriedVerdict }) {
  const { value, reason, odds, held, said, prompt } = verdict;
  return (
    <div className="stack col-span-full wrap-anywhere">
      <p>
        <span className="fine-print">Verdict</span> {value === null ? (reason ?? "none") : measureText(value)}
        {said !== undefined && (
          <>
            {" "}
            from <q>{said}</q>
          </>
        )}
      </p>
      {odds && <Odds odds={odds} />}
      {held !== undefined && (
        <p className={held < LOW_SHARE ? "note" : "fine-print"}>
          {shareText(held)} of what it would say lies on the scale{held < LOW_SHARE && ": it mostly wants to say something else"}.
        </p>
      )}
      <details>
        <summary>The prompt as it reads it</summary>
        <pre className="code-shown small framed keeps-lines">{prompt}</pre>
      </details>
    </div>
  );
}

/** What a judge said to these answers, once it was asked. */
function useAsked(config: RunConfig | null, name: string, rows: readonly JudgedAnswer[]) {
  const about = JSON.stringify([config?.judges[name], config?.checkpoint, rows]);
  const { answer, ...rest } = useQuestion(async (asked: RunConfig): Promise<Found> => {
    const { verdicts, cost } = await engine.request({ type: "try-judge", config: asked, name, answers: [...rows] });
    const { parts } = await engine.request({ type: "estimate", config: asked });
    const part = parts.find(({ title }) => title.startsWith("The judge "));
    return { about, verdicts, cost, bytes: part?.bytes ?? null };
  });
  return { ...rest, found: answer, isStale: answer !== null && answer.about !== about };
}

function CostLine({ cost: { asked, cached, tokens, seconds }, bytes }: Pick<Found, "cost" | "bytes">) {
  const known = cached > 0 ? `, ${cached} of them known already` : "";
  return (
    <p className="fine-print">
      {counted(asked, "answer")} judged{known}: {counted(tokens, "token")} in {formatNumber(seconds, 2)} s.
      {bytes !== null && ` Beside the policy its model takes ${bytesText(bytes)}.`} In a run it reads every sampled answer once, in training
      and in evaluations.
    </p>
  );
}

export function JudgeBench({ name }: { readonly name: string }) {
  const view = useDraftView();
  const [rows, setRows] = useState(FIRST);
  const { found, problem, isWaiting, isStale, ask } = useAsked(view.config, name, rows);
  const set = (at: number, change: Partial<JudgedAnswer>) => setRows(rows.map((row, i) => (i === at ? { ...row, ...change } : row)));
  return (
    <div className="bench">
      <section aria-labelledby="judge-answers" className="stack">
        <h3 id="judge-answers">Ask it about answers</h3>
        <ol>
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
            <li key={i} className="bench-answer grid relative">
              <TextInput label="Answer" keepAs={`judged/${name}/${i}`} value={row.text} onChange={(text) => set(i, { text })} />
              <TextInput
                label="Question"
                keepAs={`judgedOf/${name}/${i}`}
                value={row.question}
                onChange={(question) => set(i, { question })}
              />
              {found && !isStale && found.verdicts[i] && <Verdict verdict={found.verdicts[i]} />}
              <RemoveButton label={`Remove answer ${i + 1}`} onPress={() => setRows(rows.filter((_, at) => at !== i))} />
            </li>
          ))}
        </ol>
        <div className="line">
          <Button
            kind="primary"
            onPress={() => view.config && ask(view.config)}
            isResting={!view.config || isWaiting || rows.length === 0}
            {...(view.config
              ? rows.length === 0
                ? { hint: "There is no answer to judge yet: add one" }
                : {}
              : { hint: `Not yet: ${view.wrong[0]}` })}
          >
            {isWaiting ? "Asking …" : "Ask the judge"}
          </Button>
          <Button kind="quiet" onPress={() => setRows([...rows, { question: "", answer: "", text: "" }])}>
            <Plus size={14} aria-hidden="true" /> Add an answer
          </Button>
        </div>
        <p role="status" className={problem ? "field-error" : "fine-print"}>
          {problem ?? (isWaiting ? "Its model is opened where it is not open yet." : isStale ? "Something changed: ask it again." : "")}
        </p>
        {found && !isStale && <CostLine cost={found.cost} bytes={found.bytes} />}
      </section>
      {found && (
        <section aria-labelledby="judge-rollouts" className="stack">
          <h3 id="judge-rollouts">On the last rollouts</h3>
          <RolloutsBench config={view.config} isRead />
        </section>
      )}
    </div>
  );
}
