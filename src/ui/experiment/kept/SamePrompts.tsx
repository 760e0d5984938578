// What kept runs said to the same fixed prompts at their last look, side by side.
import { measureText } from "../../../protocol/quantities.ts";
import { readableText } from "../../step/tokens/readable.ts";
import type { LetteredRun } from "./Evaluations.tsx";

/** A prompt as people know it again: its question. */
const askedOf = (messages: readonly { readonly role: string; readonly content: string }[]) =>
  messages.findLast(({ role }) => role === "user")?.content ?? messages.at(-1)?.content ?? "";

export function SamePrompts({ runs }: { readonly runs: readonly LetteredRun[] }) {
  const probed = runs.flatMap((run) =>
    run.records.probed && run.records.probed.records.length > 0 ? [{ ...run, probed: run.records.probed }] : [],
  );
  const prompts = [
    ...new Map(probed.flatMap(({ probed: { prompts } }) => prompts.map((prompt) => [prompt.exampleId, prompt] as const))).values(),
  ];
  if (probed.length < 2 || prompts.length === 0) return null;
  return (
    <section className="stack" aria-label="The same prompts">
      <h2>Each run's latest answers to the same prompts</h2>
      {prompts.map(({ exampleId, messages, answer }) => (
        <div key={exampleId} className="kept-prompt">
          <h3>{askedOf(messages)}</h3>
          {answer !== "" && <p className="aside">Right: {answer}</p>}
          <ul>
            {probed.map(({ runId, letter, name, probed: { prompts: own, records, pieces } }) => {
              const last = records.at(-1);
              const said = last?.answers[own.findIndex((prompt) => prompt.exampleId === exampleId)];
              if (!last || !said) return null;
              const said_T = said.tokens_T.map(([token]) => pieces[token ?? -1] ?? "");
              return (
                <li key={runId}>
                  <b>{letter}</b>{" "}
                  <span className="aside">
                    {name}, step {last.step}
                  </span>
                  <p className="mono wrap-anywhere">
                    {readableText(said_T)}
                    {!said.isComplete && " …"} {said.reward !== null && <span className="aside">reward {measureText(said.reward)}</span>}
                  </p>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </section>
  );
}
